# A part of agent.pl: breakpoints that a gdb has left in the code of a process. Of x86-64 only.

my $page_size = 4096;
# Bytes; see stands_alone.
my $reach = 16;

# A gdb that was killed leaves its breakpoints in the code, gdb 13 also in a process that it detaches from while that runs, and
# the process dies of the next one that it meets. A byte of code that is a breakpoint instruction in memory and another one in
# the file is put back. Only pages that somebody has written to are read: a process maps hundreds of MB of code. (x86-64 only.)
sub take_breakpoints_out {
    my ($pid) = @_;
    return unless (POSIX::uname())[4] eq 'x86_64';
    no warnings 'portable';    # of addresses above 32 bits
    open(my $maps, '<', "/proc/$pid/maps") or return;
    open(my $pagemap, '<:raw', "/proc/$pid/pagemap") or return;
    my $memory;
    while (my $line = <$maps>) {
        my ($start, $end, $offset, $path) = $line =~ /^(\w+)-(\w+) r-xp (\w+) \S+ [1-9]\d* +(\/.*)$/ or next;
        ($start, $end, $offset) = map { hex } $start, $end, $offset;
        my @written = written_pages($pagemap, $start, $end) or next;
        # Those of a debugger that has come since are its own.
        return if is_traced($pid);
        # A file of another kind has taken its place since.
        sysopen(my $file, $path, O_RDONLY | O_NONBLOCK) or next;
        next unless -f $file;
        binmode $file;
        $memory //= do { open(my $opened, '+<:raw', "/proc/$pid/mem") or return; $opened };
        for my $page (@written) {
            sysseek($file, $offset + $page - $start, 0);
            sysread($file, my $original, $page_size) or next;
            sysseek($memory, $page, 0);
            sysread($memory, my $code, length $original) or next;
            my $difference = $code ^ substr($original, 0, length $code);
            while ($difference =~ /[^\0]/g) {
                my $at = pos($difference) - 1;
                next unless substr($code, $at, 1) eq "\xcc" && stands_alone($memory, $file, $page + $at, $start, $end, $offset);
                sysseek($memory, $page + $at, 0);
                syswrite($memory, substr($original, $at, 1));
            }
        }
    }
}

# Nothing but breakpoints differs on both sides. Open MPI and UCX put instructions of their own into the code of functions, to be
# called first: less than $reach bytes, of which any may look like a breakpoint.
sub stands_alone {
    my ($memory, $file, $address, $start, $end, $offset) = @_;
    my $first = $address - $reach > $start ? $address - $reach : $start;
    my $last = $address + $reach < $end ? $address + $reach : $end - 1;
    my $code = bytes_at($memory, $first, $last + 1 - $first);
    my $original = bytes_at($file, $offset + $first - $start, $last + 1 - $first);
    return 0 unless length $code && length $code == length $original;
    return !grep { substr($code, $_, 1) ne substr($original, $_, 1) && substr($code, $_, 1) ne "\xcc" } 0 .. length($code) - 1;
}

sub bytes_at {
    my ($file, $position, $length) = @_;
    sysseek($file, $position, 0);
    my $count = sysread($file, my $bytes, $length);
    return $count ? $bytes : '';
}

# The addresses of those pages of a private mapping of a file that are not the file's any more.
sub written_pages {
    my ($pagemap, $start, $end) = @_;
    sysseek($pagemap, $start / $page_size * 8, 0);
    sysread($pagemap, my $entries, ($end - $start) / $page_size * 8) or return;
    my @entries = unpack 'Q<*', $entries;
    # Present or swapped out, and not a page of a file.
    return map { $start + $_ * $page_size } grep { $entries[$_] >> 62 && !($entries[$_] >> 61 & 1) } 0 .. $#entries;
}
