# A part of agent.pl: what waits for ends: of a job that nobody watches any more, of ranks that cannot say how they end.

sub witness {
    my ($launcher, $then) = @_;
    POSIX::setsid();
    $0 = "mpidbg: says so if nobody watches job $launcher";
    $SIG{$_} = 'IGNORE' for qw(INT HUP TERM QUIT PIPE);
    my $start = (process_status($launcher))[2] // '';
    exit 0 if defined(my $line = <STDIN>);
    my ($state, undef, $now) = process_status($launcher);
    exit 0 unless defined $now && $now eq $start && $state ne 'Z';
    my $words = $then eq 'ends' ? 'it is ended (--require-watch)' : "mpidbg hang --launcher $launcher looks at it";
    print STDERR "mpidbg: mpidbg was killed, and nobody watches the job any more: $words\n";
    kill 'TERM', $launcher if $then eq 'ends';
    exit 0;
}

# Which of the processes that it is told of end, and how, in the order of their ends: a line for each end, with the process, how many ends were
# seen before those that came with it, and its status as for wait(2), "-" where that is not known. From a line with "+" on a process is watched.
# It sleeps in the kernel.
sub ends {
    POSIX::setsid();
    $0 = 'mpidbg: waits for ranks that are ended from outside';
    $SIG{$_} = 'IGNORE' for qw(INT HUP TERM QUIT PIPE);
    my ($pidfd_open, $told, $seen, %process) = (434, '', 0);
    my $waited = '';
    vec($waited, fileno(STDIN), 1) = 1;
    while (1) {
        my $count = select(my $ready = $waited, undef, undef, undef);
        next if $count < 0;
        my @ended = grep { vec($ready, $_, 1) } keys %process;
        for my $descriptor (@ended) {
            my $pid = delete $process{$descriptor};
            syswrite STDOUT, join(' ', $pid, $seen, status_of_ended($pid, $descriptor)) . "\n";
            vec($waited, $descriptor, 1) = 0;
            POSIX::close($descriptor);
        }
        $seen += @ended;
        next unless vec($ready, fileno(STDIN), 1);
        # What has ended until then was told first.
        exit 0 unless sysread(STDIN, $told, 4096, length $told);
        while ($told =~ s/^(\d+)\n//) {
            my $descriptor = syscall($pidfd_open, $1 + 0, 0);
            my $is_gone = $descriptor < 0 && $! == POSIX::ESRCH();
            syswrite STDOUT, join(' ', $1, $seen, $is_gone ? '-' : '+') . "\n";
            next if $descriptor < 0;
            $process{$descriptor} = $1;
            vec($waited, $descriptor, 1) = 1;
        }
    }
}

# Before its parent has asked for it from proc(5), then from the descriptor where the kernel tells it (since Linux 6.15).
sub status_of_ended {
    my ($pid, $descriptor) = @_;
    if (open my $stat, '<', "/proc/$pid/stat") {
        my $line = <$stat> // '';
        $line =~ s/.*\) //s;
        my @words = split ' ', $line;
        return $words[49] if ($words[0] // '') eq 'Z' && defined $words[49];
    }
    my ($PIDFD_GET_INFO, $PIDFD_INFO_EXIT) = (0xC040FF0B, 8);
    my $info = pack('Q2', $PIDFD_INFO_EXIT, 0) . "\0" x 48;
    open my $handle, '<&=', POSIX::dup($descriptor) or return '-';
    return '-' unless ioctl $handle, $PIDFD_GET_INFO, $info;
    my ($mask, $status) = (unpack('Q', $info), unpack 'l', substr $info, 60, 4);
    return $mask & $PIDFD_INFO_EXIT ? $status : '-';
}
