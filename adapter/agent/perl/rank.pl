# A part of agent.pl: what becomes a rank.

my $PR_SET_PTRACER = 0x59616d61;

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

sub first_set {
    for my $name (@_) { return $ENV{$name} if defined $ENV{$name} }
    return undef;
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
