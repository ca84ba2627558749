/** Every command and option with its description: the single source for parsing, help, completion and the man page. */
import { olderNameOfJob } from '../../../plugin-api/batch/batch-system';
import { listed } from '../../../plugin-api/listed';
import { tableNames } from '../../../plugin-api/plugins/table-names';

/** That `mpidbg completion` knows. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export interface Option {
  /** The name of the option's argument; undefined: it takes none. */
  argument?: string;
  /** 'path': a file or folder, which a shell completes. */
  completes?: 'path';
  short?: string;
  multiple?: boolean;
  summary: string;
}

export const optionTable = {
  launcher: { argument: 'PID', summary: 'mpirun, mpiexec or srun, or a shell around it: all its ranks' },
  job: {
    argument: 'JOB[.STEP]',
    summary: "a batch system's job, from wherever that system's commands work: all its ranks on all its nodes",
  },
  [olderNameOfJob]: { argument: 'JOB[.STEP]', summary: 'an older name of --job' },
  pid: { argument: 'PID[,PID...]', multiple: true, summary: 'these processes' },
  core: {
    ...{ argument: 'FILE...', completes: 'path', multiple: true },
    summary: 'core files of one job; ranks, hosts and programs are read from them',
  },
  program: {
    ...{ argument: 'FILE', completes: 'path' },
    summary: 'the program that wrote the core files, if it has moved',
  },
  'search-path': {
    ...{ argument: 'DIR[:DIR...]', completes: 'path', multiple: true },
    summary: 'where else to look for programs and libraries of core files, by build-id',
  },
  ranks: { argument: 'SET', summary: 'only these ranks, as in 0-3,7 or, of another world, 0.1:0-3 (default: all)' },
  world: {
    argument: 'NAME',
    summary: "only this MPI_COMM_WORLD of several, as in 0.1 (default: all; --ranks are of the launcher's own, 0)",
  },
  json: { summary: 'print one complete JSON document' },
  full: { summary: 'show every field and detail' },
  frame: {
    argument: 'FUNCTION|N',
    summary: 'evaluate in this frame (default: the innermost one of your code that knows the name)',
  },
  thread: { argument: 'N', summary: 'thread number within each rank (default: 1, the first)' },
  'look-again': { argument: 'SECONDS', summary: 'seconds between the two looks at running ranks (default: 1)' },
  dot: {
    argument: 'FILE',
    completes: 'path',
    summary: 'write who waits for whom as a graph for Graphviz; - is standard output',
  },
  'hang-after': { argument: 'SECONDS', summary: 'end a job that has been stuck in MPI for this long, and say why' },
  'hang-after-any': { summary: 'also where a rank computes without sending or receiving anything' },
  'require-watch': { summary: 'end a job that cannot be watched for --hang-after' },
  'hold-dying': {
    argument: 'SECONDS',
    summary: 'how long a rank that is about to die waits at most, until the job has been looked at (default: 10)',
  },
  hold: {
    argument: 'DURATION',
    summary:
      'a rank that is about to die, and a job that --hang-after would end, waits for a debugger that long, as in 90s, 30m or 2h',
  },
  'stop-at': {
    argument: 'LINE|FUNCTION',
    summary:
      'each rank waits for a debugger there, as at solver.c:41 or MPI_Init, for the time of --hold (default: 30m)',
  },
  'trap-fp': {
    argument: 'KINDS',
    summary:
      'end a rank that makes the first NaN (invalid), divides by zero (zero) or overflows (overflow), and say where: invalid,zero',
  },
  'watch-nan': {
    summary: 'tell by which messages and reductions the first NaN went from rank to rank; collects calls too',
  },
  'watch-nan-bytes': {
    argument: 'N',
    summary: 'how much of a buffer is looked at: half at its begin, half in samples of the rest (default: 1048576)',
  },
  report: {
    ...{ argument: 'FILE.html|auto', completes: 'path' },
    summary:
      "write a page if a rank dies, the job is ended, or its launcher exits with a nonzero status; auto: mpidbg-JOB.html, JOB: the batch job's number or the launcher's pid",
  },
  sarif: { argument: 'FILE', completes: 'path', summary: 'write the findings for code scanning services' },
  junit: { argument: 'FILE', completes: 'path', summary: 'write the job as a test that passed or failed' },
  internal: { summary: "include the MPI library's own handles and messages" },
  output: { argument: 'FILE', completes: 'path', short: 'o', summary: 'the file to write; - is standard output' },
  'source-map': {
    ...{ argument: 'FROM=TO', multiple: true },
    summary: 'sources compiled below FROM are now below TO; Fortran sources tell which INTEGERs are handles',
  },
  implementation: {
    argument: 'NAME',
    summary: `${listed(tableNames, 'or')}, if LIBRARY has structs of more than one`,
  },
  gdb: { argument: 'PATH', completes: 'path', summary: 'gdb 12 or newer (default: gdb in PATH)' },
  'library-code': {
    ...{ argument: 'GLOB', multiple: true },
    summary: "sources or libraries that are not the program's, as in '**/wrappers/**' (with ! before it: they are)",
  },
  plugin: { argument: 'FILE', completes: 'path', multiple: true, summary: 'a plugin for another MPI library' },
  follow: { summary: 'print new values as CSV every second until interrupted (with --json, all values)' },
  last: { argument: 'N', summary: 'the last N of each rank (default: 20)' },
  trace: {
    ...{ argument: 'FILE', completes: 'path' },
    summary: 'write the records of the ranks as a trace for Perfetto or chrome://tracing; - is standard output',
  },
  csv: { argument: 'FILE', completes: 'path', summary: 'write a row for each value as CSV; - is standard output' },
  collect: {
    argument: 'LIST',
    summary: 'what the collector in the ranks collects: pvars, events, ompt, calls or all',
  },
  'keep-freed': {
    summary: 'objects that the program frees stay readable until MPI_Finalize; collects calls too',
  },
  libomp: {
    ...{ argument: 'FILE', completes: 'path' },
    summary: "use LLVM's OpenMP runtime, libomp.so.5 or its path; GCC's does not support OMPT",
  },
  timeout: { argument: 'SECONDS', summary: 'give up after SECONDS (default: 60)' },
  help: { short: 'h', summary: 'help, also of one command: mpidbg --help COMMAND' },
  version: { summary: 'the version of mpidbg' },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof optionTable;

export interface CommandEntry {
  /** What follows its name, without options. */
  operands: string;
  summary: string;
  options: readonly OptionName[];
  /** More about it. */
  note?: string;
  /** The words that it accepts, for completion. */
  words?: 'kinds' | 'shells' | 'paths';
  example?: string;
}

export const targetOptions: readonly OptionName[] = [
  'launcher',
  'job',
  olderNameOfJob,
  'pid',
  'core',
  'program',
  'search-path',
  'ranks',
  'world',
];
const queryOptions: readonly OptionName[] = [...targetOptions, 'gdb', 'library-code', 'plugin', 'timeout'];

export const commandTable = {
  show: {
    ...{ operands: '[KIND:]EXPR... TARGET', summary: 'what each handle is, in each rank' },
    options: ['full', 'frame', 'thread', 'source-map', 'json', ...queryOptions],
    example: 'mpidbg show comm requests --launcher $!',
  },
  print: {
    ...{ operands: 'EXPR... TARGET', summary: 'the value of any expression in each rank, and who differs' },
    options: ['full', 'frame', 'thread', 'source-map', 'json', ...queryOptions],
    note: `A variable that its function passes to MPI as a rank, root, tag or color shows MPI's name for its value, such as
MPI_PROC_NULL. This needs the source file: see --source-map.`,
    example: "mpidbg print residual 'grid[2]' '*row@4' --launcher $!",
  },
  nan: {
    ...{
      operands: '[EXPR...] TARGET',
      summary: 'variables in which there is a NaN or an infinity: how many, where, in which ranks',
    },
    options: ['full', 'frame', 'thread', 'source-map', 'json', ...queryOptions],
    note: `Without EXPR it looks at the variables of the program's functions that are on the stacks, and at its global variables. A
pointer of C is followed where malloc tells how much memory it leads to; of another one ask for '*pointer@count'.`,
    example: 'mpidbg nan --launcher $!',
  },
  handles: {
    ...{ operands: '[KIND...] TARGET', summary: 'every live handle of each rank', words: 'kinds' },
    options: ['full', 'internal', 'json', ...queryOptions],
    example: 'mpidbg handles comm win --launcher $!',
  },
  queues: {
    ...{ operands: 'TARGET', summary: 'posted receives, unexpected messages and pending sends of each communicator' },
    options: ['full', 'internal', 'json', ...queryOptions],
    example: 'mpidbg queues --launcher $!',
  },
  hang: {
    ...{ operands: 'TARGET', summary: 'why the job makes no progress, and who waits for whom' },
    options: ['look-again', 'dot', 'json', ...queryOptions],
    example: 'mpidbg hang --launcher $!',
  },
  stacks: {
    ...{
      operands: 'TARGET',
      summary: 'the stacks of all ranks as one tree; for core files, first which rank died of what',
    },
    options: ['full', 'source-map', 'json', ...queryOptions],
    example: 'mpidbg stacks --core core.*',
  },
  info: {
    ...{ operands: 'TARGET', summary: 'program, ranks, MPI library, and what cannot be decoded' },
    options: ['full', 'json', ...queryOptions],
    example: 'mpidbg info --launcher $!',
  },
  report: {
    ...{ operands: 'TARGET -o FILE.html', summary: 'all of this as one page for a browser' },
    options: ['output', 'full', 'source-map', 'json', ...queryOptions],
    example: 'mpidbg report --core core.* -o report.html',
  },
  run: {
    ...{
      operands: '-- LAUNCHER ARG...',
      summary: 'run a job, and say how it died or why it hangs',
    },
    options: [
      'collect',
      'keep-freed',
      'libomp',
      'hang-after',
      'hang-after-any',
      'require-watch',
      'hold-dying',
      'hold',
      'stop-at',
      'trap-fp',
      'watch-nan',
      'watch-nan-bytes',
      'report',
      'sarif',
      'junit',
      'gdb',
      'library-code',
      'plugin',
    ],
    note: `The job uses mpidbg's standard streams and receives its signals. Exit status: the launcher's, 124 if --hang-after
ended the job, 125 if --require-watch did, 127 if the launcher cannot be started, 128 + N if signal N ended it.`,
    example: 'mpidbg run -- mpirun -n 4 ./program',
  },
  wait: {
    ...{ operands: '[JOB[.STEP]]', summary: 'wait until a batch job has started, and say how to attach to it' },
    options: [],
    note: `Without JOB, it waits for the only one of your jobs that runs. It asks the batch system every five seconds.`,
    example: 'mpidbg wait 4711',
  },
  collector: {
    ...{ operands: '', summary: 'what to put before a launcher in a script, where run cannot be used' },
    options: ['collect', 'keep-freed', 'libomp'],
    example: '$(mpidbg collector) mpirun -n 4 ./solver',
  },
  pvars: {
    ...{ operands: '[PATTERN...] TARGET', summary: "the MPI library's performance variables, while the ranks run" },
    options: ['full', 'follow', 'csv', 'json', ...queryOptions],
    example: "mpidbg pvars '*msgq*' --launcher $!",
  },
  cvars: {
    ...{ operands: '[PATTERN...] TARGET', summary: "the MPI library's control variables, while the ranks run" },
    options: ['full', 'follow', 'csv', 'json', ...queryOptions],
    example: "mpidbg cvars 'btl_*' --launcher $!",
  },
  events: {
    ...{ operands: '[PATTERN...] TARGET', summary: 'events of the MPI library: sources, totals, and the last ones' },
    options: ['last', 'full', 'follow', 'csv', 'trace', 'json', ...queryOptions],
    note: 'An event that names a communicator says which: mpidbg show prints it.',
    example: "mpidbg events '*communicator*' --last 50 --launcher $!",
  },
  ompt: {
    ...{
      operands: '[PATTERN...] TARGET',
      summary: "OpenMP: each thread's state, region, task, what it waits for and holds",
    },
    options: ['last', 'full', 'follow', 'csv', 'trace', 'json', ...queryOptions],
    note: `The ranks were started with --collect ompt, or all. They are not stopped. The OpenMP runtime must have OMPT, as LLVM's and
Intel's have: a program that was built by gcc runs on LLVM's with mpidbg run --libomp libomp.so.5.`,
    example: 'mpidbg ompt --launcher $!',
  },
  calls: {
    ...{ operands: '[PATTERN...] TARGET', summary: "the program's last MPI calls, and those that its threads are in" },
    options: ['last', 'follow', 'csv', 'trace', 'json', ...queryOptions],
    note: 'The ranks were started with --collect calls, or all. They are not stopped.',
    example: "mpidbg calls 'MPI_*recv' --last 5 --launcher $!",
  },
  layout: {
    ...{ operands: 'LIBRARY...', summary: 'a layout table from an MPI library with debug information', words: 'paths' },
    options: ['implementation', 'gdb', 'timeout'],
  },
  completion: {
    ...{ operands: 'bash|zsh|fish', summary: 'the completion script for a shell', words: 'shells', options: [] },
    example: 'source <(mpidbg completion bash)',
  },
  man: { operands: '', summary: 'the man page', options: [], example: 'mpidbg man > mpidbg.1' },
} as const satisfies Readonly<Record<string, CommandEntry>>;

export type CommandName = keyof typeof commandTable;
export const commandEntries: readonly (readonly [string, CommandEntry])[] = Object.entries(commandTable);
export const optionEntries: readonly (readonly [string, Option])[] = Object.entries(optionTable);
