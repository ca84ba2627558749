# A part of node-agent.pl: its answers to the debugger's questions about this host.

sub send_answer {
    my ($number, $bytes, %fields) = @_;
    if ($can_pack && length($bytes // '') > $min_packed) { ($bytes, $fields{packed}) = (Compress::Zlib::compress($bytes, 1), 1) }
    my $message = format_message(exists $fields{code} ? 'no' : 'yes', %fields);
    $bytes //= '';
    send_frame(pack('a1 N', 'm', $number) . substr($bytes, 0, $max_part, '')) while length $bytes > $max_part;
    send_frame(pack('a1 N', 'a', $number) . "$message\n$bytes");
}

sub answer {
    my ($number, $line) = @_;
    my ($kind, $asked) = parse_message($line);
    return start_guardian($number, $asked) if $kind eq 'guardian';
    return start_release($number, $asked) if $kind eq 'release';
    return start_helper($number, $asked) if $kind eq 'helper';
    my %answers = (
        readfile => \&answer_readfile, readlink => \&answer_readlink, list     => \&answer_list,
        lives    => \&answer_lives,    tcp      => \&answer_tcp,      states   => \&answer_states,
        open     => \&answer_open,     readopen => \&answer_readopen, close    => \&answer_close,
        pages    => \&answer_pages,    memory   => \&answer_memory,
        forget   => \&answer_forget,   signal   => \&answer_signal,   listen   => \&answer_listen,
        kept     => \&answer_kept,     keep     => \&answer_keep,
    );
    $! = 0;
    my ($bytes, @fields) = $answers{$kind}->($asked);
    if (defined $bytes) { send_answer($number, $bytes, @fields) }
    else                { my ($code) = grep { $!{$_} } keys %!; send_answer($number, undef, code => $code // 'EIO', reason => "$!") }
}

# Each answers bytes and fields, or undef with the reason in $!.

sub answer_readfile {
    sysopen(my $file, $_[0]{path}, O_RDONLY | O_NONBLOCK) or return undef;
    my $all = '';
    while (1) {
        my $count = sysread($file, $all, 1 << 16, length $all) // return undef;
        return $all unless $count;
    }
}

sub answer_readlink { return readlink $_[0]{path} }

sub answer_list {
    opendir(my $folder, $_[0]{path}) or return undef;
    return join "\0", grep { !/^\.\.?$/ } readdir $folder;
}

# "STATE:START:END", or nothing, of each.
sub answer_lives {
    return join ',', map {
        my ($state, undef, $start, $end) = process_status($_);
        $node{watched}{$_} = $start if defined $start;
        defined $start ? "$state:$start:$end" : '';
    } split /,/, $_[0]{pids};
}

# "DEVICE:INODE:MODIFIED:CHANGED:SIZE", or nothing, of each.
sub answer_states {
    return join "\0", map { my @status = Time::HiRes::stat($_); join ':', @status ? @status[0, 1, 9, 10, 7] : () } split /\0/, $_[0]{paths};
}

sub answer_tcp {
    my $lines = eval { tcp_counters() };
    $! = EOPNOTSUPP unless defined $lines;
    return $lines;
}

sub answer_open {
    sysopen(my $file, $_[0]{path}, O_RDONLY | O_NONBLOCK) or return undef;
    my @status = Time::HiRes::stat($file) or return undef;
    return '' unless -f _;
    my $number = ++$node{last_file};
    $node{files}{$number} = $file;
    my $build = build_id(read_at($file, 0, $page_size) // '');
    return ('', file => $number, name => readlink('/proc/self/fd/' . fileno $file), build => $build, size => $status[7],
        inode => $status[1], modified => int $status[9], changed => int $status[10],
        identity => join(':', @status[0, 1, 9, 10, 7]));
}

# From the note with it, which stands in the first page of a program or library; undef elsewhere.
sub build_id {
    my ($head) = @_;
    return undef unless $head =~ /^\x7fELF/ && $head =~ /\x04\0\0\0(....)\x03\0\0\0GNU\0/sg;
    return unpack 'H*', substr($head, pos $head, unpack 'V', $1);
}

sub answer_readopen {
    my $file = $node{files}{ $_[0]{file} } // return undef;
    return read_at($file, $_[0]{offset}, $_[0]{length});
}

sub answer_close { delete $node{files}{ $_[0]{file} }; return '' }

sub memory_of {
    my ($pid) = @_;
    unless ($node{memory}{$pid}) {
        # The kernel shows no memory through a first thread that has ended.
        my $thread = -s "/proc/$pid/exe" ? $pid : (living_thread($pid))[0] // $pid;
        sysopen(my $file, "/proc/$thread/mem", O_RDONLY) or return undef;
        $node{memory}{$pid} = $file;
    }
    return $node{memory}{$pid};
}

sub answer_memory {
    my ($asked) = @_;
    my $file = memory_of($asked->{pid}) // return undef;
    return read_at($file, $asked->{address}, $asked->{length});
}

# The bytes of those that can be read, and a letter for each: agent-host.ts knows them.
sub answer_pages {
    my ($asked) = @_;
    my $file = memory_of($asked->{pid}) // return undef;
    my ($bytes, $letters) = ('', '');
    for my $number (split /,/, $asked->{numbers}) {
        my $page = read_at($file, $page_size * $number, $page_size);
        my $letter = !defined $page ? 'u' : length $page == $page_size ? 'r' : 'g';
        $bytes .= $page if $letter eq 'r';
        $letters .= $letter;
    }
    return ($bytes, pages => $letters);
}

sub answer_forget { delete $node{memory}{ $_[0]{pid} }; return '' }

sub answer_signal { return kill($_[0]{signal}, $_[0]{pid}) ? '' : undef }

# The name at which visitors connect, without the zero byte that begins names of the abstract namespace.
sub answer_listen {
    unless ($node{visitors}) {
        open(my $random, '<:raw', '/dev/urandom') or return undef;
        sysread($random, my $bytes, 16) == 16 or return undef;
        my $name = 'mpidbg-' . unpack 'H*', $bytes;
        my $socket = new_socket(AF_UNIX) or return undef;
        bind($socket, pack_sockaddr_un("\0$name")) && listen($socket, SOMAXCONN) or return undef;
        unblock($socket);
        @node{qw(visitors visitors_name)} = ($socket, $name);
    }
    return $node{visitors_name};
}

# The path of a library of the debugger's with this content; empty when it has to be sent.
sub answer_kept {
    my ($asked) = @_;
    my $path = path_of_kept($asked) // return undef;
    return is_kept($path, $asked->{hash}) ? $path : '';
}

# A part of it, in hexadecimal digits; with the last one, its path.
sub answer_keep {
    my ($asked) = @_;
    my $content = \$node{coming}{ $asked->{hash} };
    $$content .= pack 'H*', $asked->{part};
    return '' unless $asked->{last};
    my $path = path_of_kept($asked) // return undef;
    my $all = delete $node{coming}{ $asked->{hash} };
    if (Digest::SHA::sha256_hex($all) ne $asked->{hash}) { $! = EBADMSG; return undef }
    my $unfinished = "$path.$$";
    unlink $unfinished;
    sysopen(my $file, $unfinished, O_WRONLY | O_CREAT | O_EXCL, 0700) or return undef;
    while (length $all) {
        my $count = syswrite($file, $all) // return undef;
        substr($all, 0, $count, '');
    }
    close $file or return undef;
    rename $unfinished, $path or return undef;
    return $path;
}

# In a folder of the user's that nobody else can use.
sub path_of_kept {
    my ($asked) = @_;
    my $path = $ENV{XDG_CACHE_HOME} || ($ENV{HOME} // (getpwuid $>)[7]) . '/.cache';
    for my $name ('', '/mpidbg', '/collector') { mkdir $path .= $name, 0700 }
    my @status = lstat $path or return undef;
    unless (-d _ && $status[4] == $> && !($status[2] & 077)) { $! = EACCES; return undef }
    return "$path/$asked->{hash}-$asked->{name}";
}

sub is_kept {
    my ($path, $hash) = @_;
    my @status = lstat $path or return 0;
    return 0 unless -f _ && $status[4] == $> && !($status[2] & 022);
    open(my $file, '<:raw', $path) or return 0;
    return Digest::SHA->new(256)->addfile($file)->hexdigest eq $hash;
}

# Less than so much at the end of a file.
sub read_at {
    my ($file, $offset, $length) = @_;
    defined sysseek($file, $offset, 0) or return undef;
    my $bytes = '';
    while (length $bytes < $length) {
        my $count = sysread($file, $bytes, $length - length $bytes, length $bytes);
        next if !defined $count && $! == EINTR;
        return undef unless defined $count;
        last unless $count;
    }
    return $bytes;
}

# The answer comes when it has ended.
sub start_guardian {
    my ($number, $asked) = @_;
    start_child($number, 'mpidbg: guardian of a gdb', sub {
        my $without = join '|', map { quotemeta } split /,/, $asked->{without};
        # A gdb started beside a rank is none.
        delete @ENV{ grep { $without ne '' && /^(?:$without)/ } keys %ENV };
        guardian($asked->{id}, $asked->{gdb}, $node{cut});
    });
    $node{started} += 1;
}

sub start_release {
    my ($number, $asked) = @_;
    start_child($number, 'mpidbg: release', sub { release(split /,/, $asked->{held}) });
}

# A process of ours beside the ranks, a text in Perl: its standard input and output are a connection to the debugger, and so it ends with that.
sub start_helper {
    my ($number, $asked) = @_;
    start_child($number, "mpidbg: $asked->{name}", sub {
        my $hub = connect_to_hub();
        send_message($hub, 'helper', id => $asked->{id});
        POSIX::dup2(fileno $hub, $_) for 0, 1;
        close $hub;
        eval pack('H*', $asked->{text});
        die $@ if $@;
        POSIX::_exit(0);
    });
}

sub start_child {
    my ($number, $name, $work) = @_;
    pipe(my $words, my $words_end) or return send_answer($number, undef, code => 'EIO', reason => "$!");
    my $child = fork() // return send_answer($number, undef, code => 'EIO', reason => "$!");
    if ($child == 0) {
        $0 = $name;
        open(STDERR, '>&', $words_end);
        # What its agent has open would stay open.
        close_all_but(\*STDIN, \*STDOUT, \*STDERR, $node{cut});
        $SIG{$_} = 'DEFAULT' for qw(CHLD PIPE);
        eval { $work->() };
        print STDERR $@;
        POSIX::_exit(125);
    }
    close $words_end;
    $node{guardians}{$child} = { question => $number, words => $words, said => '' };
}

sub read_words {
    my ($guardian) = @_;
    my $count = sysread($guardian->{words}, my $bytes, 4096);
    if ($count) { $guardian->{said} = substr($guardian->{said} . $bytes, -2000) }
    else        { delete $guardian->{words} }
}

sub collect_guardians {
    while ((my $ended = waitpid(-1, WNOHANG)) > 0) {
        my $wait = $?;
        my $guardian = delete $node{guardians}{$ended} // next;
        if ($guardian->{words}) { unblock($guardian->{words}); read_words($guardian) }
        # What it said to the debugger comes first.
        my %channels = %{ $node{channels} };
        read_local($_, $channels{$_}) for grep { !$channels{$_}{ended} } keys %channels;
        send_answer($guardian->{question}, '', wait => $wait, said => $guardian->{said});
    }
}
