# A part of agent.pl: what the kernel tells of processes, and what is done to those that gdb held.

# ($state, $parent, $start, $end): start tells a process from a later one with the same pid; end is the wait
# status of a dead one. Empty when there is none.
sub process_status {
    my ($pid) = @_;
    open(my $file, '<', "/proc/$pid/stat") or return;
    my $line = <$file> // return;
    my @fields = split / /, substr($line, rindex($line, ')') + 2);
    # One whose first thread alone has ended is there still.
    $fields[0] = (living_thread($pid))[1] // 'Z' if $fields[0] eq 'Z';
    return (@fields[0, 1, 19], int $fields[49]);
}

# The last one, and its state. Empty when all have ended.
sub living_thread {
    my ($pid) = @_;
    opendir(my $listing, "/proc/$pid/task") or return;
    for my $thread (sort { $b <=> $a } grep { /^\d+$/ } readdir $listing) {
        open(my $file, '<', "/proc/$pid/task/$thread/stat") or next;
        my $line = <$file> // next;
        my $state = substr($line, rindex($line, ')') + 2, 1);
        return ($thread, $state) unless $state =~ /[ZX]/;
    }
    return;
}

# All descendants, children before grandchildren.
sub descendants {
    my ($root) = @_;
    my %children;
    opendir(my $proc, '/proc') or return;
    for my $pid (grep { /^\d+$/ } readdir $proc) {
        my ($state, $parent) = process_status($pid) or next;
        # A dead one has no children; it stays for as long as a gdb traces it.
        push @{ $children{$parent} }, $pid unless $state eq 'Z';
    }
    my @found = @{ $children{$root} // [] };
    for (my $i = 0; $i < @found; $i++) { push @found, @{ $children{ $found[$i] } // [] } }
    return @found;
}

sub is_traced {
    my ($pid) = @_;
    open(my $status, '<', "/proc/$pid/status") or return 0;
    return scalar grep { /^TracerPid:\s*[1-9]/ } <$status>;
}

# Does $how to the processes that are marked with $mark.
sub release_held {
    my ($held, $how, $mark) = @_;
    for my $pid (keys %$held) {
        my ($then, $start) = @{ $held->{$pid} };
        next unless $then eq $mark;
        my ($state, undef, $now) = process_status($pid);
        next unless defined $now && $now eq $start;
        if    ($how eq 'kill')     { kill 'KILL', $pid }
        elsif ($how eq 'stop')     { kill 'STOP', $pid }
        elsif ($how eq 'wake' || $state =~ /^[Tt]$/) { kill 'CONT', $pid }
    }
}

sub content_of {
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return undef;
    local $/;
    return scalar <$file>;
}
