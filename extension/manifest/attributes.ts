import type { AttachArguments, LaunchArguments, SharedArguments } from '../../adapter/dap/start/launch-arguments';
import { scopes } from '../../plugin-api/answers/focus-body';
import { floatKinds } from '../../plugin-api/deaths/death';
import { callStacks, defaults } from '../../adapter/dap/start/launch-arguments';
import { defaultKeepSession } from '../../adapter/dap/start/session-arguments';

/** The part of JSON Schema that launch.json needs. */
export interface Schema {
  type?: string | string[];
  description?: string;
  enum?: readonly (string | null)[];
  markdownDescription?: string;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  anyOf?: Schema[];
  minimum?: number;
  minItems?: number;
  pattern?: string;
  patternErrorMessage?: string;
}

/** A process id: a number, or text that VS Code makes one of (`${command:pickLauncher}`, `${input:pid}`). */
const processId: Schema = {
  type: ['integer', 'string'],
  pattern: '^(\\d+|\\$\\{.+\\})$',
  patternErrorMessage: 'A process id, or a variable such as ${command:pickLauncher}.',
};

/** "0-3,7"; empty is all ranks. */
const rankSetPattern = '^\\s*(\\d+(-\\d+)?(\\s*,\\s*\\d+(-\\d+)?)*)?\\s*$';

/** The same of several worlds: "0-3,0.1:0-1". */
const rankNamesPattern = rankSetPattern.replaceAll('\\d+(-', '(\\d+(\\.\\d+)*:)?\\d+(-');

type Schemas<Name extends string> = Record<Name, Schema>;

type ProgramAttribute = keyof LaunchArguments['programs'][number];
type LaunchAttribute = Exclude<keyof LaunchArguments, keyof SharedArguments> | ProgramAttribute | 'envFile';
type AttachAttribute =
  | TargetAttribute<AttachArguments['target']>
  | Exclude<keyof AttachArguments, keyof SharedArguments | 'target' | 'waits'>
  | 'waitForJob';
type TargetAttribute<Target> = Target extends unknown ? Exclude<keyof Target, 'kind'> : never;

const programAttributes = {
  program: {
    type: 'string',
    markdownDescription:
      'The MPI program to debug, compiled with debug information (`mpicc -g`, `mpifort -g`). `${command:pickProgram}` is the program that is named like the source file in the editor; without one, it asks.',
    default: '${command:pickProgram}',
  },
  args: {
    type: 'array',
    items: { type: 'string' },
    description: "The program's arguments.",
    default: [],
  },
  ranks: {
    type: ['integer', 'string'],
    minimum: 1,
    pattern: '^([1-9]\\d*|\\$\\{.+\\})$',
    patternErrorMessage: 'A number of processes, or a variable such as ${input:ranks}.',
    description: 'Number of processes to start.',
    default: defaults.ranks,
  },
} satisfies Schemas<ProgramAttribute>;

const sharedAttributes = {
  gdb: {
    type: 'string',
    description: 'The gdb to use, as a name or a path. It must be version 12 or later.',
    default: defaults.gdb,
  },
  setupCommands: {
    type: 'array',
    items: { type: 'string' },
    markdownDescription:
      'gdb commands to run in every gdb before it has a process, for example `set print elements 500`.',
    default: [],
  },
  sourceFileMap: {
    type: 'object',
    additionalProperties: { type: 'string' },
    markdownDescription:
      'Where sources are now if they were compiled elsewhere: `{ "/build/src": "${workspaceFolder}/src" }`.',
    default: {},
  },
  plugins: {
    type: 'array',
    items: { type: 'string' },
    description: 'Plugin files that teach mpidbg other MPI implementations.',
    default: [],
  },
  libraryCode: {
    type: 'array',
    items: { type: 'string' },
    markdownDescription:
      'Sources and libraries that are not your program\'s, as globs: calls of MPI are shown at your line that leads there. Added to the headers and libraries of the system and those of well-known libraries over MPI; `!` before a glob takes out what fits. Example: `["**/mpi_wrappers/**"]`.',
    default: [],
  },
  skip: {
    type: 'array',
    items: { type: 'string' },
    markdownDescription:
      'What *Step Into* passes over, as globs of files and functions: `["/usr/include/**", "matrix.hpp", "Matrix::operator*"]`. Your own functions that are called from there are stepped into. Default: headers and libraries of the system, of compilers and of MPI. `[]`: nothing.',
    default: ['/usr/include/**', '**/include/c++/**'],
  },
  focus: {
    type: 'string',
    pattern: rankNamesPattern,
    patternErrorMessage: 'A rank set such as 0-3,7.',
    markdownDescription:
      'The ranks that continue, step and pause act on, as a rank set such as `0-3,7`; of a job with several MPI_COMM_WORLDs such as `0-3,0.1:0-1`. Default: all ranks.',
  },
  breakpointRanks: {
    type: 'string',
    pattern: rankNamesPattern,
    patternErrorMessage: 'A rank set such as 0-3,7.',
    markdownDescription:
      "The ranks that source and function breakpoints stop, as a rank set such as `0-3,7`; of a job with several MPI_COMM_WORLDs such as `0-3,0.1:0-1`, where `0-3` alone is the launcher's own. The condition of a breakpoint can limit it further (`$rank in 2-3`). Default: all ranks.",
  },
  scope: {
    type: 'string',
    enum: [...scopes],
    description: 'What continue, step and pause act on: the thread, its rank, the focus, or all ranks.',
    default: defaults.scope,
  },
  markDifferences: {
    type: 'boolean',
    description: 'Mark variables whose values differ between the ranks of the focus with ≠ behind the value.',
    default: defaults.markDifferences,
  },
  floatingPoint: {
    type: 'array',
    items: { type: 'string', enum: [...floatKinds] },
    description:
      'Stop ranks at the instruction that makes the first NaN or infinity of each thread, as with the exception filter Floating Point: invalid operations, divisions by zero, overflows (x86-64).',
    default: [],
  },
  helperThreads: {
    type: 'boolean',
    description: "Show the MPI library's own threads as well as the program's.",
    default: defaults.helperThreads,
  },
  callStack: {
    type: 'string',
    enum: [...callStacks],
    markdownDescription:
      'What the Call Stack view lists: `all` threads of every rank, or `merged`: one thread for all ranks that are at one place. Without it VS Code takes `merged` from 16 ranks on.',
    default: defaults.callStack,
  },
} satisfies Schemas<keyof SharedArguments>;

/** What a launch configuration of type `mpidbg` may hold, in addition to the attributes that VS Code itself knows. */
export const launchAttributes = {
  ...programAttributes,
  cwd: { type: 'string', description: 'The directory that the program starts in.', default: '${workspaceFolder}' },
  env: {
    type: 'object',
    additionalProperties: { type: ['string', 'null'] },
    description: 'Environment variables of the program, added to those of VS Code; null removes one.',
    default: {},
  },
  envFile: {
    type: 'string',
    markdownDescription:
      'A file of further environment variables, `NAME=value` on each line; `env` overrides them. Example: `${workspaceFolder}/.env`.',
    default: '${workspaceFolder}/.env',
  },
  programs: {
    type: 'array',
    minItems: 1,
    items: {
      type: 'object',
      properties: programAttributes,
      required: ['program'],
      additionalProperties: false,
    },
    markdownDescription: 'Several programs in one job (MPMD), instead of `program`, `args` and `ranks`.',
    default: [{ program: '${workspaceFolder}/', ranks: 1 }],
  },
  launcher: {
    type: 'string',
    markdownDescription:
      'The command that starts the job, such as `mpirun.openmpi`, `mpiexec.hydra` or a full path. Default: the launcher that belongs to the MPI library that the program uses.',
  },
  launcherArgs: {
    type: 'array',
    items: { type: 'string' },
    markdownDescription: 'Further arguments of the launcher, for example `["--bind-to", "none"]`.',
    default: [],
  },
  stdin: { type: 'string', description: "A file for rank 0's standard input." },
  stopOnEntry: {
    type: 'boolean',
    description: 'Stop every rank at main or at the Fortran main program.',
    default: defaults.stopOnEntry,
  },
  collector: {
    type: ['boolean', 'object'],
    markdownDescription:
      'Collect what the MPI library tells of itself (MPI_T) inside every rank, for `mpidbg pvars`, `events` and the like. `pvars` names the performance variables that are read, `events` the events that are recorded (`*` is any text), `period` is the time between two readings.',
    properties: {
      pvars: { type: 'array', items: { type: 'string' }, description: 'Names of variables.', default: ['*'] },
      events: { type: 'array', items: { type: 'string' }, description: 'Names of types of events.', default: ['*'] },
      ompt: { type: 'boolean', description: 'Collect what the OpenMP runtime tells (OMPT).', default: true },
      libomp: {
        type: 'string',
        description:
          "LLVM's OpenMP runtime, for programs built by GCC, whose own runtime has no OMPT: libomp.so.5, or its path.",
      },
      calls: { type: 'boolean', description: "Collect the program's MPI calls.", default: true },
      keepFreed: {
        type: 'boolean',
        description:
          'Communicators, groups, datatypes, operations, infos and error handlers that the program frees stay readable until MPI_Finalize.',
        default: false,
      },
      period: { type: 'integer', minimum: 10, description: 'Milliseconds, at most 10000.', default: 100 },
    },
    default: defaults.collector,
  },
  ...sharedAttributes,
} satisfies Schemas<LaunchAttribute | keyof SharedArguments>;

/** What an attach configuration of type `mpidbg` may hold, beside the attributes that VS Code knows itself. */
export const attachAttributes = {
  launcherPid: {
    ...processId,
    markdownDescription:
      "Process id of a running job's launcher (mpirun, mpiexec, srun, or a shell around one). All its ranks on this machine are attached to; disconnecting leaves them running.",
    default: '${command:pickLauncher}',
  },
  job: {
    type: ['string', 'integer'],
    pattern: '^([0-9]+(\\.([0-9]+|batch))?|\\$\\{.+\\})$',
    patternErrorMessage:
      'A job number of the batch system, with or without a step (4711 or 4711.0), or a variable such as ${command:pickBatchJob}.',
    default: '${command:pickBatchJob}',
    markdownDescription:
      'Number of a job of the batch system (Slurm), `JOB` or `JOB.STEP`, instead of the launcher. All its ranks on all its nodes are attached to.',
  },
  waitForJob: {
    type: ['string', 'integer', 'boolean'],
    pattern: '^([0-9]+(\\.([0-9]+|batch))?|\\$\\{.+\\})$',
    patternErrorMessage: 'A job number of the batch system, a variable such as ${input:job}, or true.',
    default: true,
    markdownDescription:
      'As `job`, for a job that is still in the queue: the session begins when it has started. `true`: your only job. It can be cancelled meanwhile.',
  },
  pids: {
    type: 'array',
    items: processId,
    minItems: 1,
    description: 'Process ids of the ranks to attach to, instead of the launcher.',
  },
  ranks: {
    type: 'string',
    pattern: rankNamesPattern,
    patternErrorMessage: 'A rank set such as 0-3,7.',
    markdownDescription:
      'Attach to these ranks only, a rank set such as `0-3,7`; of a job with several MPI_COMM_WORLDs such as `0-3,0.1:0-1`. Default: all ranks.',
  },
  world: {
    type: 'string',
    pattern: '^(all|\\d+(\\.\\d+)*|\\$\\{.+\\})$',
    patternErrorMessage: 'The name of a world such as 0.1, or all.',
    markdownDescription:
      'Attach to the ranks of this MPI_COMM_WORLD only: `0` is that of the launcher, `0.1` the first that it spawned, `1` that of a second launcher below the same shell. `all` attaches to all of them. Without it, and without `ranks`, VS Code asks if the job has several. Ranks that are spawned later join the session only where all are attached to.',
  },
  cores: {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    markdownDescription:
      'Core files to open in one session, as paths or patterns such as `${workspaceFolder}/core.*`. Ranks, hosts and programs are read from them.',
  },
  program: { type: 'string', description: 'The program that wrote the core files, if it has moved.' },
  searchPath: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Folders to search for programs and libraries of core files that have moved or changed since. They are matched by build-id.',
  },
  ...sharedAttributes,
} satisfies Schemas<AttachAttribute | keyof SharedArguments>;

/** What both may hold about the session itself. */
export const sessionAttributes = {
  keepSession: {
    type: 'number',
    minimum: 0,
    markdownDescription:
      'Minutes that a session is kept as it is when the connection to its window is lost: start the same configuration again to take it up. 0: it ends at once.',
    default: defaultKeepSession,
  },
} satisfies Schemas<'keepSession'>;
