# The agent of a host that the debugger does not run on: agent.pl runs it in the process that becomes the agent. It dials in
# at the debugger's door, relays what processes of ours on this host say to the hub, and answers questions about the host.
# link.ts describes the dialogue, signed-messages.ts what is around each frame.
use strict;
use warnings;
use Errno qw(EACCES EAGAIN EBADMSG ECONNREFUSED ECONNRESET EINTR EOPNOTSUPP EPIPE);
use Fcntl qw(O_CREAT O_EXCL O_NONBLOCK O_RDONLY O_WRONLY F_GETFL F_SETFL);
use POSIX qw(:sys_wait_h);
use Socket qw(:DEFAULT MSG_NOSIGNAL SOL_SOCKET);
use Time::HiRes ();

my $so_peercred = 17;
# Bytes for the network beyond which no more is read from processes here.
my $max_waiting = 4 << 20;
# As in signed-messages.ts: seconds, bytes.
my ($pulse, $max_silence, $max_content) = (5, 30, (1 << 20) + 4096);
# Bytes of an answer in one frame: others wait behind it.
my $max_part = 1 << 18;

my $page_size = 4096;
# Seconds in which an agent that the debugger has not taken tries again.
my $max_waiting_at_door = 20;
# A debugger that does not open its door for so many times two seconds is gone.
my $max_refused = 15;
# Seconds in which an agent whose ranks have all ended still tries to tell that.
my $max_news = 300;
# Memory and tables become a quarter; some distributions have this module in a package of its own.
my $can_pack = eval { require Compress::Zlib; 1 };
# Bytes, of an answer that does not fit into the packets that a connection begins with.
my $min_packed = 4096;

# What all parts of it use.
my %node = (
    sent => 0, received => 0, in => '', out => '',    # frames
    channels => {}, last_channel => 0,
    files => {}, last_file => 0, memory => {},        # open files
    guardians => {}, started => 0,
    coming => {},                                      # by hash, what of a library has come
    watched => {},                                     # processes that the debugger asked for, and their starts
    visitors => undef, visitors_name => '',           # where gdbs here ask the debugger something, once it listens
);

sub node {
    my ($listener, $token) = @_;
    $node{listener} = $listener;
    unblock($listener);
    $SIG{CHLD} = $SIG{PIPE} = sub { };
    # Who floods the debugger's door may have had us turned away: that took no time, and we come again.
    my $began = time;
    until (my $is_taken = dial_door($token)) {
        return if !defined $is_taken || time - $began >= $max_waiting_at_door;
        select undef, undef, undef, 0.1;
    }
    serve();
    come_back($token) if $node{is_cut};
}

# The debugger may be well: it takes up the processes that it asked for when the way is there again, or is told that they have ended.
sub come_back {
    my ($token) = @_;
    wait_for_guardians();
    my ($refused, $last_there) = (0, time);
    while ($refused < $max_refused && time - $last_there < $max_news) {
        my $any = grep { is_there($_) } keys %{ $node{watched} };
        $last_there = time if $any;
        sleep 2;
        if (dial_door($token)) {
            serve();
            return unless $node{is_cut};
            wait_for_guardians();
            $refused = 0;
        }
        elsif ($! == ECONNREFUSED) { $refused += $any ? 1 : $max_refused }
    }
}

# They let go of what they held.
sub wait_for_guardians { 1 while waitpid(-1, 0) > 0 }

sub is_there {
    my ($pid) = @_;
    my ($state, undef, $start) = process_status($pid);
    return defined $start && $start eq $node{watched}{$pid} && $state !~ /^[ZX]$/;
}

# True when the debugger has taken us; undef when it was not reached, and $! is ECONNREFUSED where nobody listens.
sub dial_door {
    my ($token) = @_;
    my $socket = dial_first($ENV{MPIDBG_DOOR}) or return undef;
    $! = 0;
    my $nonces = authenticate($socket, $token, '-node', 'node-hub', 'node') or return 0;
    $node{theirs} = Digest::SHA::hmac_sha256("key-of-node-hub $nonces", $token);
    $node{ours}   = Digest::SHA::hmac_sha256("key-of-node $nonces", $token);
    $node{link} = $socket;
    unblock($socket);
    return 1;
}

# Until the link ends.
sub serve {
    my ($link, $listener) = @node{qw(link listener)};
    %node = (%node, sent => 0, received => 0, in => '', out => '', over => 0, is_cut => 0, started => 0);
    # One for each link: what guardians have not read of it would be taken for news of the next one.
    pipe($node{cut}, $node{tell_cut}) or return;
    send_frame(format_message('node', host => (POSIX::uname())[1], pid => $$));
    my ($spoken, $heard) = (time, time);
    until ($node{over}) {
        my ($readable, $writable) = wait_for_node(1);
        if ($readable->{ fileno $link }) { $heard = time if read_link(); }
        accept_local($listener, 'o') if $readable->{ fileno $listener };
        accept_local($node{visitors}, 'v') if $node{visitors} && $readable->{ fileno $node{visitors} };
        for my $number (keys %{ $node{channels} }) {
            my $channel = $node{channels}{$number} // next;
            my $file = fileno $channel->{socket};
            read_local($number, $channel) if $readable->{$file};
            write_local($number, $channel) if $writable->{$file};
        }
        for my $guardian (values %{ $node{guardians} }) {
            read_words($guardian) if $guardian->{words} && $readable->{ fileno $guardian->{words} };
        }
        collect_guardians();
        if (length $node{out}) { $spoken = time }
        elsif (time - $spoken >= $pulse) { send_frame(''); $spoken = time }
        write_link();
        give_link_up() if time - $heard > $max_silence;
    }
    # Whoever is at the other ends hears of it; memory is asked for anew. Files stay open: what they are of may end meanwhile.
    close $link;
    @node{qw(channels guardians memory)} = ({}, {}, {});
}

# Only the way is lost: the debugger may be well, and the ranks are not ended. It hears so if the way comes back soon.
sub give_link_up {
    unless ($node{over}) {
        syswrite($node{tell_cut}, 'cc' x $node{started});
        $node{over} = 1;
        send_frame(pack 'a1 N', 'l', 0);
        write_link();
    }
    $node{over} = $node{is_cut} = 1;
}

# The debugger's end is one that its kernel tells of.
sub link_failed {
    give_link_up() unless $! == ECONNRESET || $! == EPIPE;
    $node{over} = 1;
}

sub unblock { my ($socket) = @_; fcntl($socket, F_SETFL, fcntl($socket, F_GETFL, 0) | O_NONBLOCK) }

# ({ descriptor => 1 of what can be read }, { of what can be written })
sub wait_for_node {
    my ($seconds) = @_;
    my ($read, $write) = ('', '');
    vec($read, fileno $node{link}, 1) = 1;
    for my $listener (grep { defined } @node{qw(listener visitors)}) { vec($read, fileno $listener, 1) = 1 }
    vec($write, fileno $node{link}, 1) = 1 if length $node{out};
    for my $channel (values %{ $node{channels} }) {
        # As long as the network takes no more, what would have to be kept is not read.
        vec($read, fileno $channel->{socket}, 1) = 1 if !$channel->{ended} && length $node{out} < $max_waiting;
        vec($write, fileno $channel->{socket}, 1) = 1 if length $channel->{out} || $channel->{finish};
    }
    for my $guardian (values %{ $node{guardians} }) { vec($read, fileno $guardian->{words}, 1) = 1 if $guardian->{words} }
    return ({}, {}) if select($read, $write, undef, $seconds) <= 0;
    return map {
        my $set = $_;
        +{ map { ($_ => 1) } grep { vec($set, $_, 1) } 0 .. 8 * length($set) - 1 }
    } $read, $write;
}

sub mac { my ($key, $number, $content) = @_; return substr(Digest::SHA::hmac_sha256(pack('Q>', $number) . $content, $key), 0, 16) }

sub send_frame {
    my ($content) = @_;
    $node{out} .= pack('N', length $content) . $content . mac($node{ours}, $node{sent}++, $content);
}

sub write_link {
    return unless length $node{out};
    my $count = send($node{link}, $node{out}, MSG_NOSIGNAL);
    if    (defined $count) { substr($node{out}, 0, $count, '') }
    elsif ($! != EAGAIN && $! != EINTR) { link_failed() }
}

# True when a frame of the debugger's has come.
sub read_link {
    my $count = sysread($node{link}, $node{in}, 1 << 18, length $node{in});
    return 0 if !defined $count && ($! == EAGAIN || $! == EINTR);
    unless (defined $count) { link_failed(); return 0 }
    unless ($count) { $node{over} = 1; return 0 }
    my $any = 0;
    while (length $node{in} >= 4) {
        my $length = unpack 'N', $node{in};
        if ($length > $max_content) { give_link_up(); last }
        last if length $node{in} < 4 + $length + 16;
        my (undef, $content, $mac) = unpack "a4 a$length a16", substr($node{in}, 0, 4 + $length + 16, '');
        # Somebody else's: nothing of it is looked at.
        if ($mac ne mac($node{theirs}, $node{received}++, $content)) { give_link_up(); last }
        $any = 1;
        take_frame($content) if $length;
    }
    return $any;
}

sub take_frame {
    my ($what, $number, $rest) = unpack 'a1 N a*', shift;
    if ($what eq 'l') { return give_link_up() }
    if ($what eq 'q') { return answer($number, $rest) }
    my $channel = $node{channels}{$number} // return;
    if    ($what eq 'd') { $channel->{out} .= $rest; write_local($number, $channel) }
    elsif ($what eq 'e') { $channel->{finish} = 1;   write_local($number, $channel) }
    elsif ($what eq 'c') { close $channel->{socket}; delete $node{channels}{$number} }
}

sub accept_local {
    my ($listener, $what) = @_;
    accept(my $socket, $listener) or return;
    # struct ucred: process, user, group. The name is to be seen by all users.
    my (undef, $user) = unpack 'i3', getsockopt($socket, SOL_SOCKET, $so_peercred) // pack('i3', -1, -1, -1);
    return unless $user == $>;
    unblock($socket);
    my $number = ++$node{last_channel};
    $node{channels}{$number} = { socket => $socket, out => '' };
    send_frame(pack 'a1 N', $what, $number);
}

sub read_local {
    my ($number, $channel) = @_;
    my $count = sysread($channel->{socket}, my $bytes, 1 << 16);
    return if !defined $count && ($! == EAGAIN || $! == EINTR);
    return send_frame(pack 'a1 N a*', 'd', $number, $bytes) if $count;
    $channel->{ended} = 1;
    send_frame(pack 'a1 N', 'e', $number);
    close_local($number, $channel) if $channel->{finished} || !defined $count;
}

sub write_local {
    my ($number, $channel) = @_;
    while (length $channel->{out}) {
        my $count = send($channel->{socket}, $channel->{out}, MSG_NOSIGNAL);
        if (!defined $count) {
            return if $! == EAGAIN || $! == EINTR;
            return close_local($number, $channel);
        }
        substr($channel->{out}, 0, $count, '');
    }
    return unless delete $channel->{finish};
    shutdown($channel->{socket}, 1);
    $channel->{finished} = 1;
    close_local($number, $channel) if $channel->{ended};
}

sub close_local {
    my ($number, $channel) = @_;
    send_frame(pack 'a1 N', 'c', $number);
    close $channel->{socket};
    delete $node{channels}{$number};
}
