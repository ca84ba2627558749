# A part of agent.pl: the way to the agent of this host (node-agent.pl), on hosts that the debugger does not run on.

# A name that only who knows the token can tell, in the abstract namespace: it is one of this network, and leaves no file.
sub node_name {
    my ($token) = @_;
    return pack_sockaddr_un("\0mpidbg-" . substr(Digest::SHA::hmac_sha256_hex('node', $token), 0, 32));
}

# A connection to the agent of this host, which is started where there is none.
sub dial_node {
    my ($token) = @_;
    my $name = node_name($token);
    for my $try (1 .. 200) {
        my $socket = new_socket(AF_UNIX) or return undef;
        return $socket if connect($socket, $name);
        return undef unless $! == ECONNREFUSED;
        my $listener = new_socket(AF_UNIX) or return undef;
        # When several ranks come at once, one gets the name.
        if (bind($listener, $name) && listen($listener, SOMAXCONN)) { start_node($listener, $token) }
        else                                                       { select(undef, undef, undef, 0.05) }
    }
    return undef;
}

# Not as a child of this process, which becomes the program: a program that waits for its children must not find another one.
sub start_node {
    my ($listener, $token) = @_;
    my $child = fork() // return;
    if ($child) { waitpid($child, 0); return }
    POSIX::setsid();
    POSIX::_exit(0) if fork();
    undef $max_patience;
    # For who looks at the processes of the host.
    $0 = 'mpidbg: agent of this host';
    chdir '/';
    close_all_but($listener);
    open(STDIN,  '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
    delete $ENV{LD_PRELOAD};
    system_call('sched_setaffinity', 0, 128, "\xff" x 128);
    eval pack('H*', $ENV{MPIDBG_NODE_AGENT} // '') . 'node($listener, $token)';
    POSIX::_exit(0);
}

sub close_all_but {
    my %kept = map { fileno($_) => 1 } @_;
    opendir(my $listing, '/proc/self/fd') or return;
    my @open = grep { /^\d+$/ } readdir $listing;
    closedir $listing;
    POSIX::close($_) for grep { !$kept{$_} } @open;
}
