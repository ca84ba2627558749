# A part of agent.pl: the way to the debugger's hub and what is said there (hub.ts).

my $F_DUPFD_CLOEXEC = 1030;

my @own_variables = qw(MPIDBG_HUB MPIDBG_TOKEN MPIDBG_NAMES MPIDBG_DOOR MPIDBG_AGENT MPIDBG_NODE_AGENT);
# Whether these variables were read from a file.
my $is_told_file = 0;
# Seconds, of a program that does not wait for the debugger.
my $max_patience;

# A connection to the hub on which both sides have proved that they know the token: to the debugger's own on its host, through
# the agent of this host elsewhere.
sub connect_to_hub {
    my $socket = reach_hub(token());
    return $socket if $socket;
    my $host = (POSIX::uname())[1];
    give_up(125, "the debugger cannot be reached from $host: " . ($ENV{MPIDBG_DOOR}
        ? "it listens at $ENV{MPIDBG_DOOR}, so let $host connect to that (is there a firewall between them?)"
        : 'it expects ranks on its own host only, so name the others in "launcherArgs", with --host or a hostfile'));
}

# undef: there is no way to it.
sub reach_hub {
    my ($token) = @_;
    my $socket = defined $token ? dial_first($ENV{MPIDBG_HUB} // '') : undef;
    return $socket if $socket && authenticate($socket, $token, '', 'hub', 'agent');
    return undef unless $ENV{MPIDBG_DOOR};
    $socket = dial_node($token);
    return $socket && authenticate($socket, $token, '', 'hub', 'agent') ? $socket : undef;
}

sub token {
    return pack 'H*', $ENV{MPIDBG_TOKEN} if defined $ENV{MPIDBG_TOKEN};
    give_up(125, 'the agent is run by the debugger only') unless $is_told_file;
    return undef;
}

# "NAME=VALUE" lines. Where the file is not there, nobody waits for this agent any more, or it is on another host.
sub read_variables {
    my ($path) = @_;
    $is_told_file = 1;
    sysopen(my $file, $path, O_RDONLY | O_NONBLOCK) or return;
    return unless -f $file && -O $file;
    while (my $line = <$file>) {
        $ENV{$1} = $2 if $line =~ /^(MPIDBG_\w+)=(.*)$/;
    }
}

sub forget_debugger { delete @ENV{@own_variables} }

# Dials several addresses, "address:port,...", and stays with the first that takes us. A firewall may answer nothing: all of them
# together have four seconds, in which the kernel tries three times where there is one.
sub dial_first {
    my @addresses = split /,/, shift;
    my $patience = @addresses < 4 ? int(4 / (@addresses || 1)) : 1;
    for my $address (@addresses) {
        my ($host, $port) = $address =~ /^(.*):(\d+)$/ or next;
        my $family = $host =~ /:/ ? AF_INET6 : AF_INET;
        my $packed = inet_pton($family, $host) or next;
        my $socket = new_socket($family) or next;
        setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, 1);
        my $name = $family == AF_INET6 ? Socket::pack_sockaddr_in6($port, $packed) : pack_sockaddr_in($port, $packed);
        return $socket if in_time($patience, sub { connect($socket, $name) });
    }
    return undef;
}

# Never on a low descriptor: launchers hand descriptors down by number.
sub new_socket {
    my ($family) = @_;
    socket(my $low, $family, SOCK_STREAM, 0) or return undef;
    my $high = fcntl($low, $F_DUPFD_CLOEXEC, 20) or return undef;
    open(my $socket, '+<&=', $high + 0) or return undef;
    return $socket;
}

# What $work answers; undef when it takes longer than so many seconds.
sub in_time {
    my ($seconds, $work) = @_;
    $seconds = $max_patience if defined $max_patience && $seconds > $max_patience;
    my $answer = eval {
        local $SIG{ALRM} = sub { die "late\n" };
        alarm $seconds;
        my $result = $work->();
        alarm 0;
        $result;
    };
    alarm 0;
    return $answer;
}

# $kind, $hub, $caller: how this kind of connection is called in the proof. Answers a true value.
sub authenticate {
    my ($socket, $token, $kind, $hub, $caller) = @_;
    return in_time(20, sub {
        open(my $random, '<:raw', '/dev/urandom') or return 0;
        sysread($random, my $bytes, 32) == 32 or return 0;
        close $random;
        my $mine = unpack 'H*', $bytes;
        send_line($socket, "mpidbg1$kind $mine");
        my ($theirs, $proof) = (read_line($socket) // '') =~ /^([0-9a-f]{64}) ([0-9a-f]{64})$/ or return 0;
        return 0 unless $proof eq Digest::SHA::hmac_sha256_hex("$hub $mine $theirs", $token);
        return 0 unless send_line($socket, Digest::SHA::hmac_sha256_hex("$caller $mine $theirs", $token));
        return "$mine $theirs";
    });
}

sub send_line {
    my ($socket, $line) = @_;
    my $rest = "$line\n";
    while (length $rest) {
        my $sent = send($socket, $rest, MSG_NOSIGNAL);
        next if !defined $sent && $! == EINTR;
        return 0 unless defined $sent;
        substr($rest, 0, $sent, '');
    }
    return 1;
}

# One line without its end; undef at the end of the connection. Byte by byte, so that nothing behind it is swallowed.
sub read_line {
    my ($socket) = @_;
    my $line = '';
    while (length $line < 65536) {
        my $count = sysread($socket, my $byte, 1);
        next if !defined $count && $! == EINTR;
        return undef unless $count;
        return $line if $byte eq "\n";
        $line .= $byte;
    }
    return undef;
}

sub send_message {
    my ($socket, @message) = @_;
    return send_line($socket, format_message(@message));
}

# "kind name=value name=value", values percent-encoded.
sub format_message {
    my ($kind, %fields) = @_;
    my @words = ($kind);
    for my $name (sort keys %fields) {
        next unless defined $fields{$name};
        (my $value = $fields{$name}) =~ s/([^A-Za-z0-9_.\/-])/sprintf '%%%02X', ord $1/ge;
        push @words, "$name=$value";
    }
    return "@words";
}

sub parse_message {
    my ($kind, @words) = split / /, shift;
    my %fields = map { /^(\w+)=(.*)$/ ? ($1, $2) : () } @words;
    s/%([0-9A-F]{2})/chr hex $1/ge for values %fields;
    return ($kind, \%fields);
}

# Waits until one of the sockets can be read, a child has ended, or the time is over. True when readable.
sub readable {
    my ($seconds, $socket) = @_;
    my $set = '';
    vec($set, fileno $socket, 1) = 1;
    return select($set, undef, undef, $seconds) > 0;
}
