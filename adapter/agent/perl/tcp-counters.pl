# What the TCP connections of this host have carried, which no file of /proc tells: a line "INODE ACKNOWLEDGED RECEIVED UNREAD UNSENT" of
# each: bytes since it began, and bytes that wait in this kernel (of one that listens: connections that nobody has accepted yet). Runs by itself on the
# debugger's host, and as a part of node-agent.pl on others. Dies where the kernel does not tell.
use strict;
use warnings;
use Socket qw(AF_INET AF_INET6 IPPROTO_TCP SOCK_RAW);

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h: the same numbers on every processor.
my ($AF_NETLINK, $NETLINK_SOCK_DIAG, $SOCK_DIAG_BY_FAMILY) = (16, 4, 20);
my ($NLM_F_REQUEST, $NLM_F_DUMP, $NLMSG_ERROR, $NLMSG_DONE) = (1, 0x300, 2, 3);
my ($INET_DIAG_INFO, $TCP_LISTEN) = (2, 10);
# Bytes: of each message its header, of struct inet_diag_msg; where struct tcp_info has its counters.
my ($header, $connection, $acknowledged) = (16, 72, 120);

sub tcp_counters {
    socket(my $kernel, $AF_NETLINK, SOCK_RAW, $NETLINK_SOCK_DIAG) or die "no socket to the kernel: $!\n";
    return join '', map { tcp_counters_of($kernel, $_) } AF_INET, AF_INET6;
}

sub tcp_counters_of {
    my ($kernel, $family) = @_;
    my $asked = pack('CCCxL', $family, IPPROTO_TCP, 1 << ($INET_DIAG_INFO - 1), 0xffffffff) . "\0" x 48;
    my $message = pack('LSSLL', $header + length $asked, $SOCK_DIAG_BY_FAMILY, $NLM_F_REQUEST | $NLM_F_DUMP, $family, 0) . $asked;
    defined syswrite($kernel, $message) or die "the kernel cannot be asked: $!\n";
    my $lines = '';
    while (sysread $kernel, my $answer, 1 << 20) {
        while (length $answer >= $header) {
            my ($length, $type) = unpack 'LS', $answer;
            die "the kernel does not know\n" if $type == $NLMSG_ERROR || $length < $header;
            return $lines if $type == $NLMSG_DONE;
            $lines .= tcp_line(substr($answer, $header, $length - $header));
            substr($answer, 0, ($length + 3) & ~3, '');
        }
    }
    die "the kernel has not answered: $!\n";
}

sub tcp_line {
    my ($told) = @_;
    my $state = unpack 'xC', $told;
    my ($unread, $unsent, undef, $inode) = unpack 'L4', substr($told, $connection - 16);
    return "$inode 0 0 $unread 0\n" if $state == $TCP_LISTEN;
    for (my $rest = substr $told, $connection; length $rest >= 4;) {
        my ($length, $type) = unpack 'SS', $rest;
        last if $length < 4;
        # Since Linux 4.1.
        return join(' ', $inode, unpack('QQ', substr $rest, 4 + $acknowledged), $unread, $unsent) . "\n"
            if $type == $INET_DIAG_INFO && $length >= 4 + $acknowledged + 16;
        substr($rest, 0, ($length + 3) & ~3, '');
    }
    return '';
}

print tcp_counters() unless caller;
1;
