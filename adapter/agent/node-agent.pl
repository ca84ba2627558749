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
    pipe($node{cut}, $node{tell_cut}) or return;
    $SIG{CHLD} = $SIG{PIPE} = sub { };
    # Who floods the debugger's door may have had us turned away: that took no time, and we come again.
    my $began = time;
    until (dial_door($token)) {
        return if $! == ECONNREFUSED || time - $began >= $max_waiting_at_door;
        select undef, undef, undef, 0.1;
    }
    serve();
    come_back($token) if $node{is_cut};
}

# The debugger may be well. As long as there is a process that it asked for, it is told of it when the way is there again.
sub come_back {
    my ($token) = @_;
    # They let go of what they held.
    1 while waitpid(-1, 0) > 0;
    my $refused = 0;
    while ($refused < $max_refused && grep { is_there($_) } keys %{ $node{watched} }) {
        sleep 2;
        if (dial_door($token))       { serve(); return unless $node{is_cut}; $refused = 0 }
        elsif ($! == ECONNREFUSED)   { $refused += 1 }
    }
}

sub is_there {
    my ($pid) = @_;
    my ($state, undef, $start) = process_status($pid);
    return defined $start && $start eq $node{watched}{$pid} && $state !~ /^[ZX]$/;
}

# True when the debugger has taken us; else $! tells ECONNREFUSED from a connection that was ended.
sub dial_door {
    my ($token) = @_;
    my $socket = dial_first($ENV{MPIDBG_DOOR}) or return 0;
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
    %node = (%node, sent => 0, received => 0, in => '', out => '', over => 0, is_cut => 0);
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
    # Whoever is at the other ends hears of it; files and memory are asked for anew.
    close $link;
    @node{qw(channels guardians files memory)} = ({}, {}, {}, {});
}

# Only the way is lost: the debugger may be well, and the ranks are not ended.
sub give_link_up {
    syswrite($node{tell_cut}, 'cc' x $node{started}) unless $node{over};
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

# ---------------------------------------------------------------------------------------------- its answers

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
        lives    => \&answer_lives,    tcp      => \&answer_tcp,
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
