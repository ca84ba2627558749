/** The command line of mpidbg, as the contract says it. */
import { parseArgs } from 'node:util';
import { parseRankSet, RankSetError, type RankSet } from '../job/rank-set';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { prefixFault } from '../expressions/expression';
import type { FrameChoice } from '../expressions/frames';
import { listableKinds } from '../query/job-queries';
import { tableOwners, type TableOwner } from '../../plugin-api/plugins/table-owners';

/** What the user typed cannot be run: one sentence that says what to do. Exit status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Processes of this host, or the core files that they left. */
export type Target =
  | { launcher: number }
  | { pids: readonly number[] }
  | { cores: readonly string[]; program: string | undefined; searchPath: readonly string[] };

export interface QueryOptions {
  target: Target;
  ranks: RankSet | undefined;
  json: boolean;
  /** A function's name or a depth, 0 the innermost. */
  frame: FrameChoice | undefined;
  /** Which thread of each rank, 1 the first. */
  thread: number;
  gdb: string | undefined;
  plugins: readonly string[];
  /** Folders of sources, as the debug information names them and where they are now. */
  sourceMap: readonly (readonly [from: string, to: string])[];
  /** Seconds. */
  timeout: number;
}

export type Command =
  | { name: 'show'; expressions: readonly string[]; full: boolean; options: QueryOptions }
  | { name: 'handles'; kinds: readonly HandleKind[]; internal: boolean; options: QueryOptions }
  | { name: 'stacks'; full: boolean; options: QueryOptions }
  | { name: 'info'; full: boolean; options: QueryOptions }
  /** `file`: where the page goes. */
  | { name: 'report'; file: string; full: boolean; options: QueryOptions }
  | {
      name: 'layout';
      libraries: readonly string[];
      /** Whose table is wanted; undefined: whose structs the files describe. */
      implementation: TableOwner['name'] | undefined;
      gdb: string | undefined;
      /** Seconds. */
      timeout: number;
    }
  | { name: 'help' }
  | { name: 'version' };

export const usage = `mpidbg: look into the ranks of an MPI job, running or dead

  mpidbg show [KIND:]EXPR... TARGET   what each handle is, in each rank
  mpidbg handles [KIND...] TARGET     every live handle of each rank
  mpidbg stacks TARGET                the stacks of all ranks and threads as one tree
  mpidbg info TARGET                  ranks, MPI library, and what can be decoded
  mpidbg report TARGET -o FILE.html   all of this as one page for a browser
  mpidbg layout LIBRARY...            a layout table from an MPI library with debug information

TARGET
  --launcher PID      mpirun, mpiexec or srun, or a shell around it: all its ranks on this host
  --pid PID[,PID...]  these processes
  --core FILE...      these core files, of one job: ranks, hosts and programs are found in them
    --program FILE    the program that wrote them, if it is not where it was
    --search-path DIR[:DIR...]  where else programs and libraries are, found by their build-id

Options
  --ranks 0-3,7       only these ranks (default: all)
  --json              one JSON document on standard output
  --frame FUNCTION|N  show: evaluate in this frame (default: the innermost one of your code that knows the name)
  --thread N          show: of each rank, 1 is the first (default)
  --gdb PATH          gdb 12 or newer (default: gdb in PATH)
  --source-map FROM=TO  sources below FROM are below TO now: Fortran's tell which INTEGERs are handles
  --full              stacks, report: below MPI calls too; show: all fields; info: each process and check
  -o, --output FILE   report: where it goes
  --internal          handles: those of the MPI library itself too
  --plugin FILE       a plugin for another MPI library
  --implementation X  layout: openmpi, mpich or ucx, where LIBRARY is several of them
  --timeout SECONDS   give up after this long (default: 60)

KIND is comm, datatype, errhandler, file, group, info, message, op, request, session, status or win; without it the
declared type decides. KIND.f: reads the expression as a Fortran INTEGER handle: comm.f:newcomm, comm.f:3

A process is left exactly as it was found.
`;

/** Throws UsageError. */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals, given } = parse(argv);
  if (values.help === true) return { name: 'help' };
  if (values.version === true) return { name: 'version' };
  const [name, ...expressions] = positionals;
  refuseOptions(name, given);
  switch (name) {
    case 'show':
      if (expressions.length === 0 || expressions.some((text) => text.trim() === ''))
        throw new UsageError('show needs an expression: mpidbg show comm --launcher PID');
      for (const text of expressions) refuseFault(text);
      return { name, expressions, full: values.full ?? false, options: queryOptions(values) };
    case 'info':
      refuseWords(name, expressions);
      return { name, full: values.full ?? false, options: queryOptions(values) };
    case undefined:
    case 'help':
      return { name: 'help' };
    case 'handles':
      return { name, kinds: kindsOf(expressions), internal: values.internal ?? false, options: queryOptions(values) };
    case 'stacks':
      refuseWords(name, expressions);
      return { name, full: values.full ?? false, options: queryOptions(values) };
    case 'layout':
      return layoutCommand(expressions, values);
    case 'report':
      refuseWords(name, expressions);
      return { name, file: reportFile(values), full: values.full ?? false, options: queryOptions(values) };
    default:
      throw new UsageError(`there is no command "${name}": see mpidbg --help`);
  }
}

const options = {
  launcher: { type: 'string' },
  pid: { type: 'string', multiple: true },
  core: { type: 'string', multiple: true },
  program: { type: 'string' },
  'search-path': { type: 'string', multiple: true },
  ranks: { type: 'string' },
  json: { type: 'boolean' },
  internal: { type: 'boolean' },
  full: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  frame: { type: 'string' },
  thread: { type: 'string' },
  gdb: { type: 'string' },
  plugin: { type: 'string', multiple: true },
  'source-map': { type: 'string', multiple: true },
  implementation: { type: 'string' },
  timeout: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

type Option = keyof typeof options;

const targetOptions: readonly Option[] = ['launcher', 'pid', 'core', 'program', 'search-path', 'ranks'];
const queryOptionNames: readonly Option[] = [...targetOptions, 'gdb', 'plugin', 'timeout'];

/** What each command takes, beside --help and --version. */
const optionsOf: ReadonlyMap<string | undefined, readonly Option[]> = new Map([
  ['show', [...queryOptionNames, 'json', 'frame', 'thread', 'source-map', 'full']],
  ['handles', [...queryOptionNames, 'json', 'internal']],
  ['stacks', [...queryOptionNames, 'json', 'source-map', 'full']],
  ['info', [...queryOptionNames, 'json', 'full']],
  ['report', [...queryOptionNames, 'output', 'json', 'source-map', 'full']],
  ['layout', ['gdb', 'implementation', 'timeout']],
]);

/** `given`: the options by their names, and as they were written. */
function refuseOptions(command: string | undefined, given: ReadonlyMap<string, string>): void {
  const taken: readonly string[] | undefined = optionsOf.get(command);
  const [, refused] = [...given].find(([name]) => taken?.includes(name) === false) ?? [];
  if (refused !== undefined)
    throw new UsageError(`${command} does not take ${refused}: leave it out, or see mpidbg --help`);
}

type Values = ReturnType<typeof parse>['values'];

function parse(argv: readonly string[]) {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      tokens: true,
    });
    // The shell makes `--core core.*` a list of words: those up to the next option are core files too.
    const cores = [...(values.core ?? [])];
    const others = [...positionals];
    let last = '';
    for (const token of tokens) {
      if (token.kind === 'option') last = token.name;
      else if (token.kind === 'option-terminator') last = '';
      else if (last === 'core') {
        cores.push(token.value);
        others.splice(others.indexOf(token.value), 1);
      }
    }
    const given = new Map(tokens.flatMap((token) => (token.kind === 'option' ? [[token.name, token.rawName]] : [])));
    return { values: { ...values, core: values.core && cores }, positionals: others, given };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.split('. ')[0]! : String(error));
  }
}

function queryOptions(values: Values): QueryOptions {
  return {
    target: targetOf(values),
    ranks: values.ranks === undefined ? undefined : rankSet(values.ranks),
    json: values.json ?? false,
    frame: frameOf(values.frame),
    thread: values.thread === undefined ? 1 : positive('--thread', values.thread),
    gdb: values.gdb,
    plugins: values.plugin ?? [],
    sourceMap: (values['source-map'] ?? []).map(foldersOf),
    timeout: timeoutOf(values),
  };
}

function foldersOf(map: string): readonly [string, string] {
  const [, from, to] = /^([^=]+)=(.+)$/.exec(map) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--source-map is FROM=TO, as in --source-map /build/src=$HOME/src: "${map}" is not`);
  return [from, to];
}

function timeoutOf({ timeout }: Values): number {
  return timeout === undefined ? 60 : positive('--timeout', timeout);
}

function layoutCommand(libraries: readonly string[], values: Values): Command {
  if (libraries.length === 0 || libraries.some((path) => path === ''))
    throw new UsageError('layout needs a library with debug information: mpidbg layout libmpi.so');
  const owner = tableOwners.find(({ name }) => name === values.implementation);
  if (values.implementation !== undefined && owner === undefined)
    throw new UsageError(`--implementation is one of ${tableOwners.map(({ name }) => name).join(', ')}`);
  return { name: 'layout', libraries, implementation: owner?.name, gdb: values.gdb, timeout: timeoutOf(values) };
}

function reportFile({ output, json }: Values): string {
  if (output === undefined || output === '')
    throw new UsageError('report writes a file: name it, as in mpidbg report --launcher PID -o report.html');
  if (json === true)
    throw new UsageError('report writes a page, not JSON: leave --json out, or use info, handles or stacks');
  return output;
}

function targetOf(values: Values): Target {
  const named = [values.launcher, values.pid, values.core].filter((target) => target !== undefined);
  if (named.length > 1) throw new UsageError('name one target: --launcher, --pid or --core');
  if (values.core !== undefined) {
    const searchPath = (values['search-path'] ?? [])
      .flatMap((list) => list.split(':'))
      .filter((folder) => folder !== '');
    return { cores: values.core, program: values.program, searchPath };
  }
  if (values.program !== undefined || values['search-path'] !== undefined)
    throw new UsageError('--program and --search-path belong to --core');
  if (values.launcher !== undefined) return { launcher: positive('--launcher', values.launcher) };
  if (values.pid === undefined)
    throw new UsageError('name a target: --launcher PID, --pid PID[,PID...] or --core FILE...');
  return { pids: [...new Set(values.pid.flatMap((list) => list.split(',').map((pid) => positive('--pid', pid))))] };
}

function refuseFault(expression: string): void {
  const fault = prefixFault(expression);
  if (fault !== undefined) throw new UsageError(`${expression}: ${fault}`);
}

function refuseWords(command: string, words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`${command} takes no expression: remove "${words.join(' ')}"`);
}

function kindsOf(words: readonly string[]): readonly HandleKind[] {
  if (words.length === 0) return listableKinds;
  return words.map((word) => {
    const kind = listableKinds.find((known) => known === word);
    if (kind === undefined) throw new UsageError(`"${word}" is no kind of handle: take ${listableKinds.join(', ')}`);
    return kind;
  });
}

function rankSet(text: string): RankSet {
  try {
    return parseRankSet(text);
  } catch (error) {
    if (error instanceof RankSetError) throw new UsageError(`--ranks: ${error.message}`);
    throw error;
  }
}

function frameOf(text: string | undefined): FrameChoice | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

function positive(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text.trim()) || Number(text) === 0)
    throw new UsageError(`${option} takes a whole number above 0, not "${text}"`);
  return Number(text);
}
