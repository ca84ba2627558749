/** The walkthrough on VS Code's Welcome page: from a compiled program to the reason why a job hangs. */

interface Step {
  id: string;
  title: string;
  description: string;
  media: { markdown: string };
  completionEvents?: readonly string[];
}

const steps: readonly Step[] = [
  {
    id: 'build',
    title: 'Compile with debug information',
    description:
      'Use the compiler wrapper of your MPI with ``-g``, and ``-O0`` if you can: ``mpicc -g -O0 solver.c -o solver``, or ``mpifort -g -O0 solver.f90 -o solver``. The MPI library itself need not be recompiled.',
    media: { markdown: 'extension/walkthrough/build.md' },
  },
  {
    id: 'start',
    title: 'Press F5',
    description:
      'Open the source file, click left of a line to set a breakpoint, and press F5. mpidbg starts the program that is named like the file, and asks once for the number of ranks.\n[Start Debugging](command:workbench.action.debug.start)',
    media: { markdown: 'extension/walkthrough/start.md' },
    completionEvents: ['onDebug:mpidbg'],
  },
  {
    id: 'ranks',
    title: 'Look at all ranks at once',
    description:
      'The **Ranks** view in **Run and Debug** shows where every rank is; ranks at one place share a row. Click a rank to see its line and its variables. The panel **MPI** has stacks, values, handles, queues and more.\n[Open the Ranks View](command:mpidbg.ranks.focus)',
    media: { markdown: 'extension/walkthrough/ranks.md' },
    completionEvents: ['onView:mpidbg.ranks'],
  },
  {
    id: 'attach',
    title: 'Attach to a running job',
    description:
      'Choose the job from a list of the launchers on this machine. Disconnecting leaves its ranks running.\n[Attach to Running Job…](command:mpidbg.attachToJob)',
    media: { markdown: 'extension/walkthrough/attach.md' },
    completionEvents: ['onCommand:mpidbg.attachToJob'],
  },
  {
    id: 'hang',
    title: 'Find out why it hangs',
    description:
      'Pause a job that seems stuck: mpidbg says who waits for whom, with the MPI call, the source line and the communicator.\n[Why Does It Hang?](command:mpidbg.whyHang)',
    media: { markdown: 'extension/walkthrough/hang.md' },
    completionEvents: ['onCommand:mpidbg.whyHang'],
  },
  {
    id: 'cores',
    title: 'Open core files',
    description:
      'The core files of a crashed job give you the same information: select them in the Explorer, or choose them here.\n[Open Core Files…](command:mpidbg.openCores)',
    media: { markdown: 'extension/walkthrough/cores.md' },
    completionEvents: ['onCommand:mpidbg.openCores'],
  },
];

export const walkthroughs = [
  {
    id: 'start',
    title: 'Debug an MPI program',
    description: 'Start, look at all ranks, attach, and find out why a job hangs or crashed.',
    steps,
  },
];
