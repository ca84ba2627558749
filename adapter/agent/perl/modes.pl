# The last part of agent.pl: what it is started as.

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
