#!/usr/bin/env perl
# What a user does without mpidbg: the launcher starts one gdb per rank. Its MI goes to the benchmark's port.
#   gdb-per-rank.pl PORT PROGRAM
use strict;
use warnings;
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY);
my ($port, $program) = @ARGV;
socket(my $mi, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
setsockopt($mi, IPPROTO_TCP, TCP_NODELAY, 1);
connect($mi, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die "connect: $!";
open(STDIN, '<&', $mi) and open(STDOUT, '>&', $mi) or die "dup: $!";
close $mi;
exec 'gdb', '-nx', '-q', '-i=mi3', '-iex', 'set debuginfod enabled off', $program;
