#!/usr/bin/env perl
# A host for tests: process 1 of namespaces of its own, and what stands in for sshd there, so that launchers can start their
# daemons on it. Core modules only.
#
#   node.pl boot NAME ADDRESS HOSTS TMP [ROOT BROUGHT SHARED...]
#                                         prints its process id outside; waits for a line on its standard input (by then
#                                         eth0 is there); prints "ready"; serves until its standard input ends. Its files are those
#                                         of ROOT, another distribution, with those of this machine that the file BROUGHT names
#                                         and the folders SHARED
#   node.pl HOST COMMAND...               as ssh does: runs the words as one shell command on HOST, without standard input,
#                                         and ends with its status. Options before HOST are passed over.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;

my $port = 2222;

if (($ARGV[0] // '') eq 'boot') { shift; boot(@ARGV) }
else                            { remote_shell(@ARGV) }

sub must { system(@_) == 0 or die "@_: status $?\n" }

sub boot {
    my ($name, $address, $hosts, $tmp, @distribution) = @_;
    $| = 1;
    # The number in the /proc that is still the outer one.
    print readlink('/proc/self'), "\n";
    my $go = <STDIN> // exit 1;
    must('hostname', $name);
    must(qw(ip link set lo up));
    must('ip', 'address', 'add', "$address/24", 'dev', 'eth0');
    must(qw(ip link set eth0 up));
    must(qw(mount --make-rprivate /));
    my $root = @distribution ? lay_out(@distribution) : '';
    must('mount', '--bind', $hosts, "$root/etc/hosts");
    must('mount', '--bind', $tmp, "$root/tmp");
    must(qw(mount -t tmpfs -o mode=1777 tmpfs), "$root/dev/shm");
    # Drivers look there for the network's interfaces.
    must(qw(mount -t sysfs -o ro sysfs), "$root/sys");
    must(qw(mount -t proc proc), "$root/proc");
    move_to($root) if $root;
    my $server = IO::Socket::INET->new(LocalPort => $port, Listen => 64, ReuseAddr => 1) or die "listen: $!\n";
    print "ready\n";
    # Process 1 is everybody's parent who has lost his own: nobody stays a zombie.
    $SIG{CHLD} = sub { };
    my $select = IO::Select->new($server, \*STDIN);
    while (1) {
        my @ready = $select->can_read(1);
        while (waitpid(-1, 1) > 0) { }
        for my $handle (@ready) {
            # Nobody writes there: it has ended, and with this process all of the host does.
            exit 0 if $handle == \*STDIN;
            my $connection = $server->accept or next;
            my $child = fork() // next;
            if ($child == 0) {
                close $server;
                open(STDIN, '<', '/dev/null');
                $SIG{CHLD} = 'DEFAULT';
                serve($connection);
                exit 0;
            }
        }
    }
}

# The files of another distribution; what is written there is gone with the host.
sub lay_out {
    my ($distribution, $brought, @shared) = @_;
    my $all = '/mnt';
    must(qw(mount -t tmpfs tmpfs), $all);
    must('mkdir', map { "$all/$_" } qw(root changes work));
    my $root = "$all/root";
    must(qw(mount -t overlay overlay -o), "lowerdir=$distribution,upperdir=$all/changes,workdir=$all/work", $root);
    # The same kind of file, but of the other release: the one would be taken for the other.
    must('rm', '-rf', map { "$root/usr/lib/x86_64-linux-gnu/$_" } qw(openmpi pmix2 ucx));
    must('sh', '-c', 'tar -C / -cT "$1" | tar -C "$2" -x --keep-directory-symlink', 'sh', $brought, $root);
    must(qw(mount --rbind /dev), "$root/dev");
    for my $folder (@shared) {
        must('mkdir', '-p', "$root$folder");
        must('mount', '--bind', $folder, "$root$folder");
    }
    return $root;
}

sub move_to {
    my ($root) = @_;
    must('mkdir', "$root/before");
    must('pivot_root', $root, "$root/before");
    chdir '/';
    must(qw(umount --lazy /before));
}

sub serve {
    my ($connection) = @_;
    my $line = <$connection> // return;
    chomp $line;
    my $command = pack 'H*', $line;
    pipe(my $out, my $out_end) or return;
    pipe(my $error, my $error_end) or return;
    my $child = fork() // return;
    if ($child == 0) {
        setpgrp;
        open(STDOUT, '>&', $out_end);
        open(STDERR, '>&', $error_end);
        chdir '/root';
        close $connection;
        exec '/bin/sh', '-c', $command;
        exit 127;
    }
    close $out_end;
    close $error_end;
    my %kind = ($out => 'o', $error => 'e');
    my $select = IO::Select->new($out, $error);
    while ($select->count) {
        for my $pipe ($select->can_read) {
            if (sysread($pipe, my $bytes, 65536)) { print $connection pack('a1 N/a*', $kind{$pipe}, $bytes); $connection->flush }
            else                                  { $select->remove($pipe) }
        }
    }
    waitpid($child, 0);
    print $connection pack('a1 N/a*', 'x', $? & 127 ? 128 + ($? & 127) : $? >> 8);
}

sub remote_shell {
    shift while @_ && $_[0] =~ /^-/;
    my $host = shift // die "no host\n";
    my $connection = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Timeout => 20) or die "$host: $!\n";
    print $connection unpack('H*', join ' ', @_), "\n";
    while (read($connection, my $head, 5) == 5) {
        my ($kind, $length) = unpack 'a1 N', $head;
        read($connection, my $bytes, $length);
        exit $bytes if $kind eq 'x';
        syswrite($kind eq 'o' ? \*STDOUT : \*STDERR, $bytes);
    }
    exit 255;
}
