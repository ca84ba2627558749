#!/usr/bin/env perl
# The part of mpidbg that runs beside the ranks. Perl, because every node has it and TCP_NODELAY, prctl and the processor
# binding are in reach without compiled code. Core modules only.
#
#   agent.pl carry PROGRAM ARGS...        the launcher starts it instead of the program: holds the rank until the
#                                         debugger says "go", then becomes the program (same pid, environment,
#                                         descriptors, directory, signals, binding)
#   agent.pl traceable PID START PROGRAM ARGS...
#                                         the launcher starts it instead of the program: lets process PID and those below it
#                                         attach to the rank, if PID is the debugger (that began at START), and becomes the program
#   agent.pl watched PROGRAM ARGS...      the launcher starts it instead of the program, which runs in any case: the debugger, if it can be
#                                         reached, tells which libraries and variables it gets
#   agent.pl find                          the launcher starts one on each other host of a job that runs already: it keeps the
#                                         host's agent in reach until the debugger ends
#   agent.pl guardian ID GDB [LOOKER]     starts one gdb with its MI on a socket to the debugger, and sees to it that
#                                         no process stays stopped when that gdb or the debugger dies. LOOKER: process of a
#                                         debugger that only looks: nor when that is stopped by a signal
#   agent.pl release PID:START:HOW...     does what the guardians of a gdb would have done, after their end
#   agent.pl witness LAUNCHER ends|leaves  says that nobody watches the launcher's job any more, where its standard input ends without a line;
#                                         ends the job where that is to be watched
#   agent.pl ends                         tells which of the processes on its standard input have ended, and how
#   agent.pl supervise LAUNCHER ARGS...   runs the user's launcher, and ends all that it started when told to or when
#                                         the debugger dies
#   agent.pl follow STARTERS LAUNCHER...  supervises it, and holds each rank that it starts besides those that are carried,
#                                         as for MPI_Comm_spawn, until the debugger takes it; STARTERS: the names of launchers
#                                         and their daemons, with commas between
#   agent.pl at FILE MODE ...             any of these, with the variables below from this file
#
# The debugger's hub and the job's token come in MPIDBG_HUB ("address:port") and MPIDBG_TOKEN, and for ranks the names of
# the variables in which launchers tell their place in MPIDBG_NAMES; hub.ts describes the handshake and the messages. On the
# debugger's host the launcher and its ranks do not have these variables: the ranks' agents read them from a file.
#
# The hub is on the debugger's host only. On every other one the first rank starts the agent of that host, which
# dials in at MPIDBG_DOOR ("address:port,..."), is the hub for all processes of ours there, and answers for the host
# (node-agent.pl). Those hosts need not have these files: where there is a door, the launcher's command is a line of Perl that
# runs MPIDBG_AGENT, which is this file; MPIDBG_NODE_AGENT is the other one (agent-text.ts).
use strict;
use warnings;
use Errno qw(ECONNREFUSED EINTR);
use Fcntl qw(O_NONBLOCK O_RDONLY);
use POSIX qw(:sys_wait_h);
use Socket qw(:DEFAULT inet_pton IPPROTO_TCP TCP_NODELAY MSG_NOSIGNAL);

BEGIN {
    eval { require Digest::SHA; 1 }
        or die "mpidbg: Perl's module Digest::SHA is missing on this host: install the whole perl, not only its base\n";
}

# What would have kept this perl from running, for the programs that are no agent of ours (own-environment.ts).
my %kept = map { /^MPIDBG_KEPT_(\w+)$/ ? ($1 => pack 'H*', delete $ENV{$_}) : () } keys %ENV;
sub restore_environment { @ENV{ keys %kept } = values %kept }

my $script = $0;

my $F_DUPFD_CLOEXEC = 1030;
my $PR_SET_PTRACER = 0x59616d61;

my ($PTRACE_CONT, $PTRACE_DETACH, $PTRACE_SEIZE, $PTRACE_LISTEN) = (7, 17, 0x4206, 0x4208);
my ($PTRACE_EVENT_EXEC, $PTRACE_EVENT_STOP) = (4, 128);
my $__WALL = 0x40000000;

# Bytes, of x86-64; see take_breakpoints_out and stands_alone.
my $page_size = 4096;
my $reach = 16;

# Numbers of system calls that Perl has no function for.
my %syscalls = (
    x86_64  => { prctl => 157, sched_setaffinity => 203, ptrace => 101, signalfd4 => 289 },
    aarch64 => { prctl => 167, sched_setaffinity => 122, ptrace => 117, signalfd4 => 74 },
    ppc64le => { prctl => 171, sched_setaffinity => 222, ptrace => 26,  signalfd4 => 313 },
    riscv64 => { prctl => 167, sched_setaffinity => 122, ptrace => 117, signalfd4 => 74 },
);

sub system_call {
    my ($name, @arguments) = @_;
    my $number = $syscalls{ (POSIX::uname())[4] }{$name};
    return -1 unless defined $number;
    return syscall($number, @arguments);
}

# ---------------------------------------------------------------------------------------------- talking to the hub

sub give_up {
    my ($status, $message) = @_;
    # Names of programs and hosts are in it: what a terminal obeys is shown.
    $message =~ s/([\x00-\x1f\x7f]|\xc2[\x80-\x9f])/sprintf '\\u%04x', ord substr($1, -1)/ge;
    print STDERR "mpidbg: $message\n";
    exit $status;
}

# A connection to the hub on which both sides have proved that they know the token: to the debugger's own on its host, through
# the agent of this host elsewhere.
sub connect_to_hub {
    my $socket = reach_hub(token());
    return $socket if $socket;
    my $host = (POSIX::uname())[1];
    give_up(125, "the debugger cannot be reached from $host: " . ($ENV{MPIDBG_DOOR}
        ? "it listens at $ENV{MPIDBG_DOOR}, so let $host connect to that"
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

# undef: the file with the variables is not here.
my $is_told_file = 0;
sub token {
    return pack 'H*', $ENV{MPIDBG_TOKEN} if defined $ENV{MPIDBG_TOKEN};
    give_up(125, 'the agent is run by the debugger only') unless $is_told_file;
    return undef;
}

# Dials several addresses, "address:port,...", and stays with the first that takes us.
sub dial_first {
    for my $address (split /,/, shift) {
        my ($host, $port) = $address =~ /^(.*):(\d+)$/ or next;
        my $family = $host =~ /:/ ? AF_INET6 : AF_INET;
        my $packed = inet_pton($family, $host) or next;
        my $socket = new_socket($family) or next;
        setsockopt($socket, IPPROTO_TCP, TCP_NODELAY, 1);
        my $name = $family == AF_INET6 ? Socket::pack_sockaddr_in6($port, $packed) : pack_sockaddr_in($port, $packed);
        return $socket if in_time(10, sub { connect($socket, $name) });
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

# Seconds, of a program that does not wait for the debugger.
my $max_patience;

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

# ----------------------------------------------------------------------------------------------------- processes

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

# Waits until one of the sockets can be read, a child has ended, or the time is over. True when readable.
sub readable {
    my ($seconds, $socket) = @_;
    my $set = '';
    vec($set, fileno $socket, 1) = 1;
    return select($set, undef, undef, $seconds) > 0;
}

# --------------------------------------------------------------------------------------------------------- modes

my @own_variables = qw(MPIDBG_HUB MPIDBG_TOKEN MPIDBG_NAMES MPIDBG_DOOR MPIDBG_AGENT MPIDBG_NODE_AGENT);
sub forget_debugger { delete @ENV{@own_variables} }

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

sub first_set {
    for my $name (@_) { return $ENV{$name} if defined $ENV{$name} }
    return undef;
}

sub carry {
    my @program = @_;
    my $hub = connect_to_hub();
    say_which_rank($hub, 'rank');
    my $answer = read_line($hub) // give_up(125, 'the debugger went away before this rank was started');
    my ($kind, $told) = parse_message($answer);
    give_up(125, 'the start was cancelled') unless $kind eq 'go';
    become($told, @program);
    my $reason = "$!";
    send_message($hub, 'failed', reason => $reason);
    give_up(127, "cannot run $program[0]: $reason");
}

sub watched {
    my @program = @_;
    $max_patience = 4;
    my $hub = defined $ENV{MPIDBG_TOKEN} ? reach_hub(token()) : undef;
    my $told = {};
    if ($hub) {
        say_which_rank($hub, 'watched');
        (undef, $told) = parse_message(in_time($max_patience, sub { read_line($hub) }) // 'go');
    }
    forget_debugger();
    become($told, @program);
    give_up(127, "cannot run $program[0]: $!");
}

sub say_which_rank {
    my ($hub, $kind) = @_;
    my ($rank, $size) = map { first_set(split /,/) } split /:/, $ENV{MPIDBG_NAMES} // '';
    forget_debugger();
    # Where only ancestors may attach (yama): allow everybody of this user. Stays in force behind the exec.
    system_call('prctl', $PR_SET_PTRACER, -1, 0, 0, 0);
    send_message(
        $hub, $kind,
        pid  => $$,
        host => (POSIX::uname())[1],
        rank => $rank,
        size => $size,
    );
}

# Returns only when the program cannot be run, with the reason in $!.
sub become {
    my ($told, @program) = @_;
    restore_environment();
    # "NAME=VALUE", one a line.
    for (split /\n/, $told->{variables} // '') { $ENV{$1} = $2 if /^(\w+)=(.*)$/ }
    # What the user preloads comes behind. The launcher may have the same, for what it spawns.
    if (defined $told->{preload}) {
        my $others = $ENV{LD_PRELOAD} // '';
        $others =~ s/^\Q$told->{preload}\E(:|$)//;
        $ENV{LD_PRELOAD} = join ':', grep { length } $told->{preload}, $others;
    }
    no warnings 'exec';
    exec { $program[0] } @program;
}

# Where only ancestors may attach (yama). What is allowed stays so behind the exec.
sub traceable {
    my ($debugger, $start, @program) = @_;
    my $began = (process_status($debugger))[2] // '';
    system_call('prctl', $PR_SET_PTRACER, $debugger + 0, 0, 0, 0) if $began eq $start;
    restore_environment();
    { no warnings 'exec'; exec { $program[0] } @program }
    give_up(127, "cannot run $program[0]: $!");
}

sub find {
    my $hub = connect_to_hub();
    send_message($hub, 'finder', host => (POSIX::uname())[1]);
    read_line($hub);
    exit 0;
}

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
# seen before those that came with it, and its status as for wait(2), "-" where that is not known. It sleeps in the kernel.
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

sub content_of {
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return undef;
    local $/;
    return scalar <$file>;
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

# ----------------------------------------------------------------------------------------- the agent of another host

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

my $mode = shift @ARGV // '';
if ($mode eq 'at' && @ARGV > 1) {
    read_variables(shift @ARGV);
    $mode = shift @ARGV;
}
if    ($mode eq 'carry' && @ARGV)          { carry(@ARGV) }
elsif ($mode eq 'traceable' && @ARGV > 2)  { traceable(@ARGV) }
elsif ($mode eq 'watched' && @ARGV)        { watched(@ARGV) }
elsif ($mode eq 'find')                    { find() }
elsif ($mode eq 'guardian' && @ARGV > 1)   { guardian(@ARGV[0, 1], undef, $ARGV[2]) }
elsif ($mode eq 'release' && @ARGV)        { release(@ARGV) }
elsif ($mode eq 'witness' && @ARGV == 2)   { witness(@ARGV) }
elsif ($mode eq 'ends')                    { ends() }
elsif ($mode eq 'supervise' && @ARGV)      { supervise(undef, @ARGV) }
elsif ($mode eq 'follow' && @ARGV > 1)     { supervise(@ARGV) }
else                                       { give_up(125, 'the agent is run by the debugger only') }
