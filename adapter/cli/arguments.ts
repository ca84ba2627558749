/** The command line of mpidbg, as the contract says it. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseRankSet, RankSetError, type RankSet } from '../job/rank-set';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { prefixFault } from '../expressions/expression';
import type { FrameChoice } from '../expressions/frames';
import type { JobTarget } from '../job-sources/open-job';
import { listableKinds } from '../query/job-queries';
import type { OverlayPart } from '../../plugin-api/overlays/read-overlay';
import { collectable, type Collect } from '../collector/preload';
import type { optionTable } from './command-table';
import { commandEntries, oneOf, optionEntries, type CommandName, type OptionName } from './command-table';
import { shells, type Shell } from './completion';
import { tableOwners, type TableOwner } from '../../plugin-api/plugins/table-owners';

/** The command line is wrong: one sentence that says what to do. Exit status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export interface QueryOptions {
  target: JobTarget;
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
  | { name: 'show' | 'print'; expressions: readonly string[]; full: boolean; options: QueryOptions }
  | { name: 'handles'; kinds: readonly HandleKind[]; internal: boolean; full: boolean; options: QueryOptions }
  | { name: 'queues'; internal: boolean; options: QueryOptions }
  /** lookAgain: seconds between the looks; dot: the file to write. */
  | { name: 'hang'; lookAgain: number; dot: string | undefined; options: QueryOptions }
  | { name: 'stacks'; full: boolean; options: QueryOptions }
  /** Without `collect` the ranks have no collector; without `hangAfter` (seconds) mpidbg does not check for a hang. */
  | {
      name: 'run';
      launcher: readonly string[];
      collect: Collect | undefined;
      hangAfter: number | undefined;
      hangAfterAny: boolean;
      /** To write. */
      files: { report: string | undefined; sarif: string | undefined; junit: string | undefined };
      gdb: string | undefined;
      plugins: readonly string[];
    }
  | { name: 'info'; full: boolean; options: QueryOptions }
  /** `file`: the file to write. */
  | { name: 'report'; file: string; full: boolean; options: QueryOptions }
  | {
      name: 'layout';
      libraries: readonly string[];
      /** The implementation whose table to make; undefined: the one whose structs the files describe. */
      implementation: TableOwner['name'] | undefined;
      gdb: string | undefined;
      /** Seconds. */
      timeout: number;
    }
  /** patterns: globs over the names of variables; none: all. */
  | {
      name: OverlayPart;
      patterns: readonly string[];
      full: boolean;
      /** Prints what is new until it is interrupted. */
      follow: boolean;
      /** The file to write; "-": standard output. */
      csv: string | undefined;
      options: QueryOptions;
    }
  | { name: 'collector'; collect: Collect }
  | { name: 'completion'; shell: Shell }
  | { name: 'man' }
  /** `about`: of one command; undefined: of all. */
  | { name: 'help'; about: CommandName | undefined }
  | { name: 'version' };

/** Throws UsageError. */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals, behindDashes, given } = parse(argv);
  if (values.help === true) return helpCommand(positionals[0]);
  if (values.version === true) return { name: 'version' };
  const [name, ...expressions] = positionals;
  refuseOptions(name, given);
  switch (name) {
    case 'show':
    case 'print':
      if (expressions.length === 0 || expressions.some((text) => text.trim() === ''))
        throw new UsageError(`${name} needs an expression: mpidbg ${name} comm --launcher PID`);
      for (const text of expressions) refuseFault(text);
      return { name, expressions, full: values.full ?? false, options: queryOptions(values) };
    case 'info':
      refuseWords(name, expressions);
      return { name, full: values.full ?? false, options: queryOptions(values) };
    case undefined:
      return helpCommand(undefined);
    case 'help':
      return helpCommand(expressions[0]);
    case 'man':
      refuseWords(name, expressions);
      return { name };
    case 'completion':
      return { name, shell: shellOf(expressions) };
    case 'handles':
      return {
        ...{ name, kinds: kindsOf(expressions), internal: values.internal ?? false, full: values.full ?? false },
        options: queryOptions(values),
      };
    case 'queues':
      refuseWords(name, expressions);
      return { name, internal: values.internal ?? false, options: queryOptions(values) };
    case 'hang':
      refuseWords(name, expressions);
      return {
        ...{ name, lookAgain: positive('--look-again', values['look-again'] ?? '1'), dot: values.dot },
        options: queryOptions(values),
      };
    case 'stacks':
      refuseWords(name, expressions);
      return { name, full: values.full ?? false, options: queryOptions(values) };
    case 'run':
      return runCommand(expressions, behindDashes, values);
    case 'pvars':
    case 'cvars':
      return overlayCommand(name, expressions, values);
    case 'collector':
      refuseWords(name, expressions);
      return { name, collect: collectOf(values.collect ?? 'all') };
    case 'layout':
      return layoutCommand(expressions, values);
    case 'report':
      refuseWords(name, expressions);
      return { name, file: reportFile(values), full: values.full ?? false, options: queryOptions(values) };
    default:
      throw unknownCommand(name);
  }
}

function helpCommand(word: string | undefined): Command {
  if (word !== undefined && word !== 'help' && !isCommandName(word)) throw unknownCommand(word);
  return { name: 'help', about: word === undefined || !isCommandName(word) ? undefined : word };
}

function isCommandName(word: string): word is CommandName {
  return commandEntries.some(([name]) => name === word);
}

function unknownCommand(word: string): UsageError {
  return new UsageError(`unknown command "${word}": see mpidbg --help`);
}

function shellOf(words: readonly string[]): Shell {
  const shell = shells.find((known) => known === words[0]);
  if (shell === undefined || words.length > 1)
    throw new UsageError(`completion takes the name of a shell: ${shells.join(', ')}`);
  return shell;
}

/** `given`: the options by name, and as the user wrote them. */
function refuseOptions(command: string | undefined, given: ReadonlyMap<string, string>): void {
  const entry = commandEntries.find(([name]) => name === command)?.[1];
  const taken: readonly string[] | undefined = entry?.options;
  const [, refused] = [...given].find(([name]) => taken?.includes(name) === false) ?? [];
  if (refused !== undefined)
    throw new UsageError(`${command} does not take ${refused}: leave it out, or see mpidbg --help ${command}`);
}

type Values = ReturnType<typeof parse>['values'];

/** In the form that parseArgs takes. */
const options = Object.fromEntries(
  optionEntries.map(([name, { argument, short, multiple }]) => [
    name,
    { type: argument === undefined ? 'boolean' : 'string', ...(short && { short }), ...(multiple && { multiple }) },
  ]),
) as ParseOptions;

/** The options as parseArgs wants them: whether one takes an argument decides how it is parsed. */
type ParseOptions = {
  [K in OptionName]: (typeof optionTable)[K] extends { argument: string }
    ? (typeof optionTable)[K] extends { multiple: true }
      ? { type: 'string'; multiple: true }
      : { type: 'string' }
    : { type: 'boolean' };
};

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
    const dashes = tokens.findIndex(({ kind }) => kind === 'option-terminator');
    const behindDashes = dashes < 0 ? undefined : argv.slice(tokens[dashes]!.index + 1);
    return { values: { ...values, core: values.core && cores }, positionals: others, behindDashes, given };
  } catch (error) {
    throw new UsageError(wordsOf(error));
  }
}

/** Of what parseArgs throws the first sentence; of an option that is followed by another one, what is missing. */
function wordsOf(error: unknown): string {
  const [message = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  const [, option] = /^Option '([^']+)' argument is ambiguous/.exec(message) ?? [];
  return option === undefined ? message : `${option} needs an argument`;
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
    throw new UsageError('layout needs a library with debug information: mpidbg layout LIBRARY');
  const owner = tableOwners.find(({ name }) => name === values.implementation);
  if (values.implementation !== undefined && owner === undefined)
    throw new UsageError(`--implementation is one of ${tableOwners.map(({ name }) => name).join(', ')}`);
  return { name: 'layout', libraries, implementation: owner?.name, gdb: values.gdb, timeout: timeoutOf(values) };
}

function runCommand(words: readonly string[], launcher: readonly string[] | undefined, values: Values): Command {
  const before = words.slice(0, words.length - (launcher?.length ?? 0));
  if (launcher === undefined || launcher.length === 0 || launcher[0] === '')
    throw new UsageError('run needs a launcher behind "--": mpidbg run --hang-after 60 -- mpirun -n 4 ./program');
  if (before.length > 0) throw new UsageError(`run takes the launcher behind "--": remove "${before.join(' ')}"`);
  const hangAfter = values['hang-after'];
  if (hangAfter === undefined && values['hang-after-any'] === true)
    throw new UsageError('--hang-after-any needs --hang-after SECONDS');
  const asksForMore = [hangAfter, values.report, values.sarif, values.junit].some((value) => value !== undefined);
  return {
    ...{ name: 'run', launcher, hangAfterAny: values['hang-after-any'] ?? false },
    collect: asksForMore && values.collect === undefined ? undefined : collectOf(values.collect ?? 'all'),
    hangAfter: hangAfter === undefined ? undefined : positive('--hang-after', hangAfter),
    files: {
      report: fileOf('--report', values.report),
      sarif: fileOf('--sarif', values.sarif),
      junit: fileOf('--junit', values.junit),
    },
    ...{ gdb: values.gdb, plugins: values.plugin ?? [] },
  };
}

function fileOf(option: string, name: string | undefined): string | undefined {
  if (name === '') throw new UsageError(`${option} takes the name of a file to write`);
  return name;
}

function overlayCommand(name: OverlayPart, patterns: readonly string[], values: Values): Command {
  const { follow = false, csv, full = false } = values;
  const options = queryOptions(values);
  if (follow && options.target.kind === 'cores') throw new UsageError('--follow needs a running job: leave it out');
  if (csv === '') throw new UsageError('--csv needs a file, or - for standard output');
  if (csv !== undefined && options.json) throw new UsageError('--csv and --json exclude each other: leave one out');
  if (follow && csv !== undefined && csv !== '-')
    throw new UsageError('--follow writes to standard output: give --csv - and redirect it');
  return { name, patterns, full, follow, csv, options };
}

function collectOf(list: string): Collect {
  const words = list.split(',');
  const unknown = words.find((word) => word !== 'all' && !collectable.some((known) => known === word));
  if (unknown !== undefined)
    throw new UsageError(`--collect takes ${oneOf([...collectable, 'all'])}, separated by commas, not "${unknown}"`);
  return collectable.filter((known) => words.includes('all') || words.includes(known));
}

function reportFile({ output, json }: Values): string {
  if (output === undefined || output === '')
    throw new UsageError('report writes a file: name it, as in mpidbg report --launcher PID -o report.html');
  if (json === true)
    throw new UsageError('report writes a page, not JSON: leave --json out, or use info, handles or stacks');
  return output;
}

function targetOf(values: Values): JobTarget {
  const named = [values.launcher, values.pid, values.core].filter((target) => target !== undefined);
  if (named.length > 1) throw new UsageError('name one target: --launcher, --pid or --core');
  if (values.core !== undefined) {
    const searchPath = (values['search-path'] ?? [])
      .flatMap((list) => list.split(':'))
      .filter((folder) => folder !== '')
      .map((folder) => resolve(folder));
    const program = values.program === undefined ? undefined : resolve(values.program);
    return { kind: 'cores', cores: values.core, program, searchPath };
  }
  if (values.program !== undefined || values['search-path'] !== undefined)
    throw new UsageError('--program and --search-path need --core');
  if (values.launcher !== undefined) return { kind: 'launcher', launcherPid: positive('--launcher', values.launcher) };
  if (values.pid === undefined)
    throw new UsageError('name a target: --launcher PID, --pid PID[,PID...] or --core FILE...');
  return { kind: 'pids', pids: values.pid.flatMap((list) => list.split(',').map((pid) => positive('--pid', pid))) };
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
    if (kind === undefined) throw new UsageError(`"${word}" is not a kind of handle: take ${listableKinds.join(', ')}`);
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
