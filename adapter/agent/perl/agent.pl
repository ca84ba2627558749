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
# runs MPIDBG_AGENT, which is this script; MPIDBG_NODE_AGENT is the other one (agent-text.ts).
#
# This is its first part: esbuild.mjs joins them to one script.
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
# Was ours alone: the user's is among those.
delete $ENV{PERL_BADLANG};
sub restore_environment { @ENV{ keys %kept } = values %kept }

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

sub give_up {
    my ($status, $message) = @_;
    # Names of programs and hosts are in it: what a terminal obeys is shown.
    $message =~ s/([\x00-\x1f\x7f]|\xc2[\x80-\x9f])/sprintf '\\u%04x', ord substr($1, -1)/ge;
    print STDERR "mpidbg: $message\n";
    exit $status;
}
