# A part of agent.pl: the ranks that a launcher starts while its job runs.

my ($PTRACE_CONT, $PTRACE_DETACH, $PTRACE_SEIZE, $PTRACE_LISTEN) = (7, 17, 0x4206, 0x4208);
my ($PTRACE_EVENT_EXEC, $PTRACE_EVENT_STOP) = (4, 128);
my $__WALL = 0x40000000;
# As this process was started.
my $script = $0;

# What a launcher starts while the job runs (MPI_Comm_spawn) carries no agent. The launcher, its daemons and what they fork are
# traced until they exec. A rank is stopped before its first instruction then, and told to the debugger; nobody traces it any more.
sub follow {
    my ($launcher, $starters, $follows) = @_;
    $0 = "mpidbg: follows launcher $launcher";
    my %is_starter = map { $_ => 1 } split /,/, $starters;
    my ($rank_names) = split /:/, $ENV{MPIDBG_NAMES} // '';
    my @rank_names = split /,/, $rank_names // '';
    my $hub = connect_to_hub();
    send_message($hub, 'follower');
    $SIG{CHLD} = 'DEFAULT';
    my $children = child_signals();
    # Fork, vfork, clone and exec.
    my $is_traced = defined $children && ptrace($PTRACE_SEIZE, $launcher, 2 | 4 | 8 | 16) == 0;
    send_message($hub, 'blind', reason => "$!") unless $is_traced;
    close $follows;
    my %held;
    FOLLOW: while ($is_traced) {
        my $set = '';
        vec($set, fileno $_, 1) = 1 for $hub, $children;
        next if select($set, undef, undef, undef) < 1;
        if (vec($set, fileno $hub, 1)) {
            my $line = read_line($hub) // last;
            my ($kind, $fields) = parse_message($line);
            delete $held{ $fields->{pid} // '' } if $kind eq 'taken';
        }
        sysread($children, my $signals, 4096) if vec($set, fileno $children, 1);
        while ((my $pid = waitpid(-1, WNOHANG | $__WALL)) != 0) {
            last FOLLOW if $pid == -1;
            my $status = ${^CHILD_ERROR_NATIVE};
            next unless ($status & 0xff) == 0x7f;
            my ($signal, $event) = ($status >> 8 & 0xff, $status >> 16);
            if ($event == $PTRACE_EVENT_EXEC) {
                my $what = $pid == $launcher ? 'starter' : what_began($pid, \%is_starter, \@rank_names);
                if    ($what eq 'starter') { ptrace($PTRACE_CONT, $pid, 0) }
                elsif ($what ne 'rank')    { ptrace($PTRACE_DETACH, $pid, 0) }
                else {
                    $held{$pid} = (process_status($pid))[2];
                    kill 'STOP', $pid;
                    ptrace($PTRACE_DETACH, $pid, 0);
                    send_message($hub, 'began', pid => $pid);
                }
            }
            elsif ($event == $PTRACE_EVENT_STOP && $signal != POSIX::SIGTRAP) { ptrace($PTRACE_LISTEN, $pid, 0) }
            else { ptrace($PTRACE_CONT, $pid, $event ? 0 : $signal) }
        }
    }
    # With the end of this process what it traces runs on.
    release_held({ map { $_ => ['continue', $held{$_}] } keys %held }, 'continue', 'continue');
    POSIX::_exit(0);
}

# A descriptor that can be read when a child has changed. undef: this processor's system calls are not known.
sub child_signals {
    my $mask = pack 'Q', 1 << (POSIX::SIGCHLD - 1);
    POSIX::sigprocmask(POSIX::SIG_BLOCK, POSIX::SigSet->new(POSIX::SIGCHLD));
    my $number = system_call('signalfd4', -1, $mask, 8, O_NONBLOCK);
    return undef if $number < 0;
    open(my $signals, '<&=', $number) or return undef;
    return $signals;
}

sub ptrace {
    my ($request, $pid, $data) = @_;
    return system_call('ptrace', $request, $pid, 0, $data);
}

# What a process is that has just become another program: 'starter': more are to come from it; 'rank': one without an agent.
sub what_began {
    my ($pid, $is_starter, $rank_names) = @_;
    my ($environment, $words) = map { "\0" . (content_of("/proc/$pid/$_") // '') } qw(environ cmdline);
    my ($program) = (readlink("/proc/$pid/exe") // '') =~ m{([^/]*)$};
    return 'starter' if $is_starter->{$program};
    my $is_rank = grep { $environment =~ /\0\Q$_\E=/ } @$rank_names;
    my $is_carried = $words =~ /\0(\Q$script\E\0(at\0[^\0]+\0)?|eval pack [^\0]*\0)carry\0/;
    return $is_rank && !$is_carried ? 'rank' : 'other';
}
