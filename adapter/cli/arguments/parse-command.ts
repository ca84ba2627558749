/** The command line of mpidbg, as the contract says it. */
import { floatKinds, type FloatKind } from '../../../plugin-api/deaths/death';
import { listed } from '../../../plugin-api/listed';
import type { HandleKind } from '../../../plugin-api/mpi/records';
import type { BreakpointLocation } from '../../gdb/mi/breakpoint-commands';
import { prefixFault } from '../../expressions/expression';
import { listableKinds } from '../../query/list-handles';
import type { OverlayPart } from '../../../plugin-api/overlays/read-overlay';
import { collectable, type Collect, type CollectorOptions } from '../../collector/preload';
import { commandEntries, shells, type CommandName, type Shell } from './command-table';
import { tableNames } from '../../../plugin-api/plugins/table-names';
import type { Command } from './command';
import { durationOf, parseOptions, positive, type Values } from './parse-options';
import { queryOptions, timeoutOf } from './query-options';
import { UsageError } from './usage-error';

/** Throws UsageError. */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals, behindDashes, given } = parseOptions(argv);
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
    case 'nan':
      if (expressions.some((text) => text.trim() === '')) throw new UsageError('nan: an expression is empty');
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
      return {
        ...{ name, internal: values.internal ?? false, full: values.full ?? false },
        options: queryOptions(values),
      };
    case 'hang':
      refuseWords(name, expressions);
      return {
        ...{ name, lookAgain: positive('--look-again', values['look-again'] ?? '1'), dot: dotFile(values) },
        options: queryOptions(values),
      };
    case 'stacks':
      refuseWords(name, expressions);
      return { name, full: values.full ?? false, options: queryOptions(values) };
    case 'wait':
      if (expressions.length > 1)
        throw new UsageError(`wait takes one job: remove "${expressions.slice(1).join(' ')}"`);
      return { name, job: expressions[0] };
    case 'run':
      return runCommand(expressions, behindDashes, values);
    case 'pvars':
    case 'cvars':
    case 'events':
    case 'ompt':
    case 'calls':
      return overlayCommand(name, expressions, values);
    case 'collector':
      refuseWords(name, expressions);
      return { name, options: collectorOf(values) };
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

function layoutCommand(libraries: readonly string[], values: Values): Command {
  if (libraries.length === 0 || libraries.some((path) => path === ''))
    throw new UsageError('layout needs a library with debug information: mpidbg layout LIBRARY');
  const implementation = tableNames.find((name) => name === values.implementation);
  if (values.implementation !== undefined && implementation === undefined)
    throw new UsageError(`--implementation must be ${listed(tableNames, 'or')}`);
  return { name: 'layout', libraries, implementation, gdb: values.gdb, timeout: timeoutOf(values) };
}

/** Seconds. */
const defaultHold = 10;

function runCommand(words: readonly string[], launcher: readonly string[] | undefined, values: Values): Command {
  const before = words.slice(0, words.length - (launcher?.length ?? 0));
  if (launcher === undefined || launcher.length === 0 || launcher[0] === '')
    throw new UsageError('run needs a launcher behind "--": mpidbg run --hang-after 60 -- mpirun -n 4 ./program');
  if (before.length > 0) throw new UsageError(`run takes the launcher behind "--": remove "${before.join(' ')}"`);
  const hangAfter = values['hang-after'];
  for (const option of ['hang-after-any', 'require-watch'] as const)
    if (hangAfter === undefined && values[option] === true)
      throw new UsageError(`--${option} needs --hang-after SECONDS`);
  if (values['watch-nan-bytes'] !== undefined && values['watch-nan'] !== true)
    throw new UsageError('--watch-nan-bytes serves --watch-nan: add that, or leave it out');
  const asksToCollect = [values.collect, values['keep-freed'], values.libomp, values['watch-nan']].some(
    (value) => value !== undefined,
  );
  return {
    ...{ name: 'run', launcher, hangAfterAny: values['hang-after-any'] ?? false },
    requireWatch: values['require-watch'] ?? false,
    collect: asksToCollect ? collectorOf(values) : undefined,
    holdDying: values['hold-dying'] === undefined ? defaultHold : positive('--hold-dying', values['hold-dying']),
    hold: values.hold === undefined ? undefined : durationOf('--hold', values.hold),
    stopAt: values['stop-at'] === undefined ? undefined : placeOf(values['stop-at']),
    trapFloats: floatKindsOf(values['trap-fp']),
    hangAfter: hangAfter === undefined ? undefined : positive('--hang-after', hangAfter),
    files: {
      report: ownFileOf('--report', values.report),
      sarif: ownFileOf('--sarif', values.sarif),
      junit: ownFileOf('--junit', values.junit),
    },
    ...{ gdb: values.gdb, plugins: values.plugin ?? [], libraryCode: values['library-code'] ?? [] },
  };
}

/** "solver.c:41", or a function. */
function placeOf(text: string): BreakpointLocation {
  const [, file, line] = /^(.*[^:]):(\d{1,9})$/.exec(text) ?? [];
  if (file !== undefined && Number(line) > 0) return { kind: 'line', file, line: Number(line) };
  const isName = /^[\p{L}_~][\p{L}\d_:~<>., ()*&]*$/u.test(text) && !/(^|[^:]):([^:]|$)/.test(text);
  if (!isName)
    throw new UsageError(`--stop-at takes a line or a function, as in solver.c:41 or MPI_Init, not "${text}"`);
  return { kind: 'function', function: text };
}

function floatKindsOf(list: string | undefined): readonly FloatKind[] {
  const words = list?.split(',') ?? [];
  const unknown = words.find((word) => !floatKinds.some((kind) => kind === word));
  if (unknown !== undefined)
    throw new UsageError(`--trap-fp takes ${listed(floatKinds, 'or')}, separated by commas, not "${unknown}"`);
  return floatKinds.filter((kind) => words.includes(kind));
}

function fileOf(option: string, name: string | undefined): string | undefined {
  if (name === '') throw new UsageError(`${option} takes the name of a file to write`);
  return name;
}

/** The file of a command whose standard output is the job's. */
function ownFileOf(option: string, name: string | undefined): string | undefined {
  if (name === '-') throw new UsageError(`${option} takes the name of a file: standard output is the job's`);
  return fileOf(option, name);
}

function dotFile({ dot, json }: Values): string | undefined {
  if (dot === '-' && json === true)
    throw new UsageError('--dot and --json cannot both use standard output: give --dot a file, or drop --json');
  return fileOf('--dot', dot);
}

function overlayCommand(name: OverlayPart, patterns: readonly string[], values: Values): Command {
  const { follow = false, csv, trace, full = false } = values;
  const options = queryOptions(values);
  if (follow && options.target.kind === 'cores') throw new UsageError('--follow needs a running job: leave it out');
  if (csv === '') throw new UsageError('--csv needs a file, or - for standard output');
  if (csv !== undefined && options.json) throw new UsageError('--csv and --json exclude each other: leave one out');
  if (follow && csv !== undefined && csv !== '-')
    throw new UsageError('--follow writes to standard output: give --csv - and redirect it');
  if (trace !== undefined && (follow || options.json))
    throw new UsageError('--trace writes once: leave --follow and --json out');
  if (trace === '-' && csv === '-')
    throw new UsageError('--csv and --trace cannot both use standard output: give one of them a file');
  const last = values.last === undefined ? undefined : positive('--last', values.last);
  if (last !== undefined && !Number.isInteger(last)) throw new UsageError('--last takes a whole number');
  return { name, patterns, full, follow, csv, trace: fileOf('--trace', trace), last, options };
}

/** Bytes of a buffer. */
const defaultWatchedBytes = 1 << 20;

function collectorOf(values: Values): CollectorOptions {
  const { collect: list, libomp, 'keep-freed': keepFreed = false, 'watch-nan': watchesNan = false } = values;
  const needsCalls = keepFreed || watchesNan;
  const listed = collectOf(list ?? (needsCalls ? 'calls' : 'all'));
  const collect = collectable.filter((what) => listed.includes(what) || (needsCalls && what === 'calls'));
  if (libomp !== undefined && !collect.includes('ompt'))
    throw new UsageError('--libomp only applies when ompt is collected: drop it, or add ompt to --collect');
  const bytes = values['watch-nan-bytes'];
  const watchNan = bytes === undefined ? defaultWatchedBytes : positive('--watch-nan-bytes', bytes);
  return {
    collect,
    ...(libomp === undefined ? {} : { libomp }),
    ...(keepFreed ? { keepFreed } : {}),
    ...(watchesNan ? { watchNan } : {}),
  };
}

function collectOf(list: string): Collect {
  const words = list.split(',');
  const unknown = words.find((word) => word !== 'all' && !collectable.some((known) => known === word));
  if (unknown !== undefined)
    throw new UsageError(
      `--collect takes ${listed([...collectable, 'all'], 'or')}, separated by commas, not "${unknown}"`,
    );
  return collectable.filter((known) => words.includes('all') || words.includes(known));
}

function reportFile({ output, json }: Values): string {
  if (output === undefined || output === '')
    throw new UsageError('report writes a file: name it, as in mpidbg report --launcher PID -o report.html');
  if (json === true)
    throw new UsageError('report writes a page, not JSON: leave --json out, or use info, handles or stacks');
  return output;
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
