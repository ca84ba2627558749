# A part of agent.pl: the user's launcher under its supervisor.

sub supervise {
    my ($starters, @launcher) = @_;
    POSIX::setsid();
    # Whatever loses its parent below comes to us, so the whole tree stays in reach.
    system_call('prctl', 36, 1, 0, 0, 0);
    $SIG{CHLD} = sub { };
    my $control = connect_to_hub();
    send_message($control, 'supervisor', pid => $$);
    pipe(my $followed, my $follows) or give_up(125, "pipe: $!");
    my $child = fork() // give_up(125, "fork: $!");
    if ($child == 0) {
        $SIG{CHLD} = 'DEFAULT';
        POSIX::setsid();
        # Should this supervisor be killed, the launcher is asked to end.
        system_call('prctl', 1, POSIX::SIGTERM, 0, 0, 0);
        close $follows;
        if (defined $starters) {
            # Where only ancestors may attach (yama): until the one that follows it has done so.
            system_call('prctl', $PR_SET_PTRACER, -1, 0, 0, 0);
            read_line($followed);
            system_call('prctl', $PR_SET_PTRACER, 0, 0, 0, 0);
        }
        close $followed;
        # On other hosts the launcher hands them to the agents of the ranks.
        forget_debugger() unless $ENV{MPIDBG_DOOR};
        restore_environment();
        no warnings 'exec';
        exec { $launcher[0] } @launcher;
        send_message($control, 'nolauncher', reason => "$!");
        POSIX::_exit(127);
    }
    # The launcher alone holds the job's standard streams: their end is the job's.
    open(STDIN, '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
    close $followed;
    if (defined $starters) {
        my $follower = fork();
        if (defined $follower && $follower == 0) { close $control; follow($child, $starters, $follows) }
    }
    close $follows;

    my ($status, $wanted) = (undef, 1);
    while (!defined $status) {
        $status = $? if waitpid($child, WNOHANG) == $child;
        last if defined $status;
        next unless readable(0.2, $control);
        my $line = read_line($control);
        # The job outlives its debugger: only the launcher's parent is still needed.
        if (defined $line && $line eq 'leave') { close $control; waitpid($child, 0); exit 0 }
        if (!defined $line || $line eq 'terminate') { $wanted = 0; last }
    }
    my $ended = end_tree($child, $status);
    $status //= $ended;
    send_message(
        $control, 'ended',
        ($status & 127) ? (signal => $status & 127) : (status => $status >> 8),
    );
    exit 0;
}

# Ends everything below us and returns the launcher's wait status. Asked first, so that it can clean up behind itself.
sub end_tree {
    my ($launcher, $status) = @_;
    kill 'TERM', $launcher unless defined $status;
    for my $round (1 .. 200) {
        while ((my $ended = waitpid(-1, WNOHANG)) > 0) { $status = $? if $ended == $launcher }
        my @left = descendants($$);
        last unless @left;
        # A tenth of a second for what is ending by itself, four seconds for a launcher that was asked to.
        kill 'KILL', @left if $round > (defined $status ? 5 : 80);
        select(undef, undef, undef, $round < 5 ? 0.02 : 0.05);
    }
    while ((my $ended = waitpid(-1, WNOHANG)) > 0) { $status = $? if $ended == $launcher }
    return $status // 9;
}
