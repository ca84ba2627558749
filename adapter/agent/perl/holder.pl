#!/usr/bin/env perl
# Holds processes of this host for a moment, without a debugger: stops all their threads, reports their registers, and lets them go on.
# x86-64 and Linux only. Core modules only.
#
# Standard input:  "hold PID..."   standard output, for each thread "thread PID TID REGISTERS" (hexadecimal, as the kernel's
#                                  user_regs_struct), for each process that cannot be held "refused PID ERRNO", and last "held"
#
# At the end of the input it lets them go and says "released"; if it dies, the kernel does: no process stays stopped, and none has a breakpoint in it.
# It also lets them go when its parent is stopped, by a debugger or a batch system; it says "left" then.
use strict;
use warnings;
use Errno qw(EPERM ESRCH ETIME);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

my ($SYS_wait4, $SYS_ptrace) = (61, 101);
my %request = (GETREGS => 12, DETACH => 17, GETSIGINFO => 0x4202, SEIZE => 0x4206, INTERRUPT => 0x4207);
my $WALL = 0x40000000;
my $registers_size = 27 * 8;
my $siginfo_size = 128;
my $EVENT_STOP = 128;

# Seconds: a thread that waits for a disk or a file server cannot be stopped.
my $max_wait = 5;

# TID => the signal that it was about to get.
my %held;

$| = 1;
# A terminal stops its whole foreground: the parent tells when to let go.
$SIG{$_} = 'IGNORE' for qw(INT HUP TSTP TTIN TTOU);
my $is_left = 0;
if (defined(my $line = <STDIN>)) {
    my (undef, @pids) = split ' ', $line;
    hold($_) for seize_all(@pids);
    print "held\n";
    $is_left = parent_is_stopped() until $is_left || readable(0.1);
}
release();
print $is_left ? "left\n" : "released\n";
exit 0;

# True also at the end of the input.
sub readable {
    my ($seconds) = @_;
    my $set = '';
    vec($set, fileno STDIN, 1) = 1;
    return select($set, undef, undef, $seconds) > 0;
}

# By a signal (T) or a debugger (t).
sub parent_is_stopped {
    open(my $file, '<', '/proc/' . getppid() . '/stat') or return 0;
    my $line = <$file> // return 0;
    return substr($line, rindex($line, ')') + 2, 1) =~ /[Tt]/ ? 1 : 0;
}

sub ptrace {
    my ($name, $tid) = @_;
    # Perl passes the address of a string and the value of a number; the kernel writes into the caller's own string.
    return syscall($SYS_ptrace, $request{$name}, 0 + $tid, 0, @_ > 2 ? $_[2] : 0);
}

sub threads_of {
    my ($pid) = @_;
    opendir(my $folder, "/proc/$pid/task") or return;
    # The first thread first, the others as they were made.
    return sort { ($b == $pid) <=> ($a == $pid) || $a <=> $b } grep { /^\d+$/ } readdir $folder;
}

# All threads of all processes, before the first one is waited for. Answers with those processes that can be held.
sub seize_all {
    my @pids = @_;
    my @seized;
    for my $pid (@pids) {
        my $refusal = seize($pid);
        if ($refusal) { print "refused $pid $refusal\n" }
        else { push @seized, $pid }
    }
    return @seized;
}

# Threads may make others until they are stopped themselves: until no new one is found. Answers with an errno, 0 is none.
sub seize {
    my ($pid) = @_;
    my ($found, $refused) = (1, ESRCH);
    my %seen;
    while ($found) {
        $found = 0;
        for my $tid (threads_of($pid)) {
            next if $seen{$tid}++;
            $found = 1;
            if (ptrace(SEIZE => $tid) == 0) {
                $held{$tid} = 0;
                ptrace(INTERRUPT => $tid);
                $refused = 0 if $tid == $pid;
            }
            # A thread that has just ended is none.
            elsif ($! == EPERM && $tid == $pid) { return EPERM }
        }
    }
    return $refused;
}

sub hold {
    my ($pid) = @_;
    my @told;
    for my $tid (threads_of($pid)) {
        next unless exists $held{$tid};
        my $status = wait_for($tid);
        return print "refused $pid " . ETIME . "\n" unless defined $status;
        # Ended, and not stopped.
        if (($status & 0xff) != 0x7f) { delete $held{$tid}; next }
        $held{$tid} = $status >> 8 unless is_event($tid);
        my $registers = "\0" x $registers_size;
        if (ptrace(GETREGS => $tid, $registers) == 0) { push @told, "thread $pid $tid " . unpack('H*', $registers) . "\n" }
    }
    print @told ? @told : "refused $pid " . ESRCH . "\n";
}

# Whether it was stopped by our interrupt, or with its whole process, and not by a signal on its way to it.
sub is_event {
    my ($tid) = @_;
    my $siginfo = "\0" x $siginfo_size;
    return 1 if ptrace(GETSIGINFO => $tid, $siginfo) != 0;
    return unpack('x8 l', $siginfo) >> 8 == $EVENT_STOP;
}

# Its status; undef: it does not stop.
sub wait_for {
    my ($tid) = @_;
    my $end = time() + $max_wait;
    while (time() < $end) {
        # Perl's own waitpid does not tell of one that has stopped.
        my $status = "\0" x 4;
        my $found = syscall($SYS_wait4, 0 + $tid, $status, $WALL | WNOHANG, 0);
        return $found == $tid ? unpack('l', $status) : 0 if $found != 0;
        sleep 0.0005;
    }
    return undef;
}

sub release {
    ptrace(DETACH => $_, 0 + $held{$_}) for keys %held;
    %held = ();
}
