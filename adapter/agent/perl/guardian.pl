# A part of agent.pl: the two guardians of a gdb, so that no process stays stopped when gdb or the debugger dies.

# $cut: on another host, the pipe in which its agent says that only the way to the debugger is cut: that may live, and nothing is
# ended then.
sub guardian {
    my ($id, $gdb, $cut, $looker) = @_;
    POSIX::setsid();
    $SIG{CHLD} = sub { };
    my $control = connect_to_hub();
    send_message($control, 'guardian', id => $id, pid => $$);
    my $mi = connect_to_hub();
    send_message($mi, 'mi', id => $id);

    my $child = fork() // give_up(125, "fork: $!");
    if ($child == 0) {
        become_gdb($mi, $control, $gdb);
        send_message($control, 'nogdb', reason => "$!");
        POSIX::_exit(127);
    }
    close $mi;
    send_message($control, 'gdb', pid => $child);

    # Neither the other guardian's end nor the debugger's, who reads what Perl warns of, is the end of this one.
    $SIG{PIPE} = 'IGNORE';
    pipe(my $heard, my $told) or give_up(125, "pipe: $!");
    my $second = fork() // give_up(125, "fork: $!");
    if ($second == 0) { close $told; stand_by($control, $heard, $child, $cut, $looker) }
    close $heard;
    my $tell = sub { syswrite($told, "$_[0]\n") };
    my $ended = sub { waitpid($child, WNOHANG) == $child ? $? : undef };
    watch_over_gdb($control, $child, { cut => $cut, looker => $looker }, {}, $ended, $tell);
    $tell->('done');
    exit 0;
}

# The second guardian hears what the first one does, and takes its place when that is killed: gdb and its guardian may be
# killed together, and the debugger with them.
sub stand_by {
    my ($control, $heard, $gdb, $cut, $looker) = @_;
    $0 = "mpidbg: second guardian of gdb $gdb";
    POSIX::setsid();
    my $start = (process_status($gdb))[2] // '';
    my %held;
    while (defined(my $line = read_line($heard))) {
        exit 0 if $line eq 'done';
        note_held(\%held, $line);
    }
    my $ended = sub {
        my ($state, undef, $now) = process_status($gdb);
        # Its status is for its parent only.
        return defined $now && $now eq $start && $state ne 'Z' ? undef : -1;
    };
    watch_over_gdb($control, $gdb, { cut => $cut, looker => $looker }, \%held, $ended, sub { });
    exit 0;
}

# Until gdb, the debugger or the dialogue ends, or a debugger that only looks is stopped; then the processes that gdb held are what they have to be. $ended gives gdb's
# wait status, undef while it runs, -1 when nobody knows it. $tell gets each message.
sub watch_over_gdb {
    my ($control, $gdb, $debugger, $held, $ended, $tell) = @_;
    my ($alone, $asked, $stopped, $status) = (0, 0, 0, undef);
    until ($alone || $asked || defined($status = $ended->())) {
        # Its end of the dialogue stays open, so gdb does not end by itself; one that gets SIGTERM may pass SIGINT on to what it holds.
        # Until gdb's breakpoints are out, nothing may run into one.
        if (is_stopped($debugger->{looker})) {
            release_held($held, 'stop', 'continue');
            kill 'KILL', -$gdb;
            $stopped = 1;
            last;
        }
        next unless readable(0.5, $control);
        my $line = read_line($control);
        if    (!defined $line) { $alone = 1 }
        elsif ($line eq 'end') { $asked = 1 }
        else                   { $tell->($line); note_held($held, $line) }
    }
    # Before the debugger waits for it: why the dialogue with gdb has ended.
    send_message($control, 'gdbended', wait => $status) if defined $status && $status != -1;
    # A debugger that has lost one gdb only goes on with the other ranks: these run on unseen then.
    release_held($held, 'kill', 'kill') if $alone && !says_cut($debugger->{cut});
    # At the end of its input gdb takes its breakpoints out of the processes and detaches from them.
    my $patience = (grep { process_status($_) } keys %$held) ? 50 : 5;
    for (1 .. $patience) {
        last if defined($status //= $ended->());
        select(undef, undef, undef, 0.1);
    }
    unless (defined $status) {
        kill 'KILL', -$gdb;
        select(undef, undef, undef, 0.02) until defined $ended->();
    }
    # What a script around gdb has left would hold its descriptors for ever.
    kill 'KILL', -$gdb;
    let_go($held, $stopped || !defined $status || $status != 0);
    send_message($control, 'released');
}

sub is_stopped {
    my ($pid) = @_;
    return defined $pid && ((process_status($pid))[0] // '') eq 'T';
}

# The agent has one byte for each of two guardians; where it was killed there is none.
sub says_cut {
    my ($cut) = @_;
    return $cut && readable(0, $cut) && sysread($cut, my $byte, 1);
}

# "hold pid=… then=…": what to do with a process when its gdb is lost. "forget pid=…".
sub note_held {
    my ($held, $line) = @_;
    my ($kind, $fields) = parse_message($line);
    my $pid = $fields->{pid} // return;
    if    ($kind eq 'hold')   { $held->{$pid} = [$fields->{then}, (process_status($pid))[2] // ''] }
    elsif ($kind eq 'forget') { delete $held->{$pid} }
}

# No gdb traces these any more. $killed: it may have left a stop that is still to come: they are told to continue although they
# seem to run.
sub let_go {
    my ($held, $killed) = @_;
    take_breakpoints_out($_) for keys %$held;
    release_held($held, $killed ? 'wake' : 'continue', $_) for 'continue', 'kill';
    release_held($held, 'stop', 'stop');
}

# Where both guardians of a gdb were killed, too.
sub release {
    my %held = map { /^(\d+):(\d+):(\w+)$/ ? ($1 => [$3, $2]) : () } @_;
    let_go(\%held, 1);
    exit 0;
}

# Replaces this process by gdb with its MI on $mi. Returns only when that fails, with the reason in $!.
sub become_gdb {
    my ($mi, $control, $gdb) = @_;
    # With PYTHONUNBUFFERED, which many containers set, the Python in gdb makes gdb write every character by itself.
    delete @ENV{ grep { /^(MPIDBG_|(LD_PRELOAD|PYTHONUNBUFFERED)$)/ } keys %ENV };
    system_call('sched_setaffinity', 0, 128, "\xff" x 128);
    POSIX::dup2(fileno $mi, 0);
    POSIX::dup2(fileno $mi, 1);
    opendir(my $listing, '/proc/self/fd');
    my @open = grep { /^\d+$/ } readdir $listing;
    closedir $listing;
    # The control connection closes itself with the exec; until then it can tell that there was none.
    POSIX::close($_) for grep { $_ > 2 && $_ != fileno $control } @open;
    # What it starts is killed with it: a gdb may be a script around one.
    setpgrp(0, 0);
    no warnings 'exec';
    exec { $gdb } $gdb, '-nx', '-q', '-i=mi3';
}
