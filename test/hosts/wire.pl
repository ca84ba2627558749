#!/usr/bin/env perl
# A long or narrow cable between two interfaces of this network: what comes in at one goes out at the other, later.
#
#   wire.pl ONE OTHER DELAY RATE    milliseconds for each direction; bits a second for each direction, 0: no limit. Prints
#                                   "ready"; ends when its standard input does. Core modules only.
use strict;
use warnings;
use Time::HiRes qw(time);

my ($packet_sockets, $raw, $all_protocols) = (17, 3, 3);
my ($level, $with_offload_header, $ignore_outgoing) = (263, 15, 23);
# Bytes that a direction keeps: a network drops what is beyond.
my $max_kept = 256 << 10;

my ($one, $other, $delay, $rate) = @ARGV;
$delay /= 1000;
my @sockets = map { open_interface($_) } $one, $other;
my @kept = ([], []);
my @bytes = (0, 0);
my @free = (0, 0);
$| = 1;
print "ready\n";
while (1) {
    my ($now, $next) = (time, 1e12);
    for my $to (0, 1) {
        while (@{ $kept[$to] } && $kept[$to][0][0] <= $now) {
            my (undef, $packet) = @{ shift @{ $kept[$to] } };
            $bytes[$to] -= length $packet;
            syswrite($sockets[$to], $packet);
        }
        $next = $kept[$to][0][0] if @{ $kept[$to] } && $kept[$to][0][0] < $next;
    }
    my $set = '';
    vec($set, $_, 1) = 1 for 0, map { fileno $_ } @sockets;
    next if select($set, undef, undef, $next - $now) <= 0;
    # Nobody says anything there: it has ended.
    exit 0 if vec($set, 0, 1);
    for my $from (0, 1) {
        next unless vec($set, fileno $sockets[$from], 1);
        sysread($sockets[$from], my $packet, 1 << 17) or next;
        my $to = 1 - $from;
        next if $bytes[$to] + length $packet > $max_kept;
        my $sent = time;
        $sent = $free[$to] if $free[$to] > $sent;
        $free[$to] = $sent + ($rate ? 8 * length($packet) / $rate : 0);
        push @{ $kept[$to] }, [$free[$to] + $delay, $packet];
        $bytes[$to] += length $packet;
    }
}

# Packets are as the sender's kernel leaves them to its hardware, unfinished: what is to be done with them is in front of each.
sub open_interface {
    my ($name) = @_;
    socket(my $socket, $packet_sockets, $raw, 0) or die "socket: $!\n";
    setsockopt($socket, $level, $_, 1) or die "setsockopt: $!\n" for $with_offload_header, $ignore_outgoing;
    # SIOCGIFINDEX, struct ifreq.
    ioctl($socket, 0x8933, my $request = pack 'a16 x24', $name) or die "$name: $!\n";
    my (undef, $index) = unpack 'a16 i', $request;
    # struct sockaddr_ll: family, protocol, interface.
    bind($socket, pack 'S n i S C C a8', $packet_sockets, $all_protocols, $index, 0, 0, 0, '') or die "bind: $!\n";
    return $socket;
}
