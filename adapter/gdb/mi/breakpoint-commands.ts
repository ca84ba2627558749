/** GDB/MI Breakpoint Commands and Catchpoint Commands. */
import { select, type GdbThread, type MiCommands } from './context';
import {
  integer,
  optionalAddress,
  optionalInteger,
  optionalText,
  quote,
  text,
  texts,
  tuple,
  tuples,
  type MiTuple,
} from './mi-values';

/** A breakpoint as gdb has it. */
export interface GdbBreakpoint {
  readonly number: string;
  /** There is code for it. */
  readonly isPlaced: boolean;
  /** Where that is: gdb moves a breakpoint to the next line with code. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The address of its first place, in the first of the inferiors. */
  readonly address: bigint | undefined;
  /** That one, and its other places in the same inferior. */
  readonly addresses: readonly bigint[];
  /** The inferiors that have such a place. */
  readonly threadGroups: readonly string[];
}

/** Reads an answer or a notification that has a `bkpt`. */
export function breakpointOf(results: MiTuple): GdbBreakpoint {
  const bkpt = tuple(results, 'bkpt');
  const placed = [bkpt, ...tuples(bkpt, 'locations')].filter((at) => optionalText(at, 'addr')?.startsWith('0x'));
  const inSource = placed.find((at) => at.line !== undefined);
  const [first] = placed;
  const ofFirst = placed.filter(
    (at) => first !== undefined && texts(at, 'thread-groups')[0] === texts(first, 'thread-groups')[0],
  );
  return {
    number: text(bkpt, 'number'),
    isPlaced: placed.length > 0,
    file: inSource && (optionalText(inSource, 'fullname') ?? optionalText(inSource, 'file')),
    line: inSource && optionalInteger(inSource, 'line'),
    address: first && optionalAddress(first, 'addr'),
    addresses: ofFirst.flatMap((at) => optionalAddress(at, 'addr') ?? []),
    threadGroups: placed.flatMap((at) => texts(at, 'thread-groups')),
  };
}

export type BreakpointLocation = { kind: 'line'; file: string; line: number } | { kind: 'function'; function: string };

/**
 * Inserts a breakpoint in all inferiors of this gdb. gdb 13 evaluates a condition in the language that was current when
 * it got it, so Fortran must be named. A breakpoint whose place is unknown waits for a library ('pending'), or is
 * refused with GdbError ('now').
 */
export async function breakInsert(
  gdb: MiCommands,
  at: BreakpointLocation & { condition?: string | undefined; language?: 'c' | 'fortran' | undefined },
  unknownLocation: 'pending' | 'now' = 'pending',
): Promise<GdbBreakpoint> {
  const pending = unknownLocation === 'pending' ? ' -f' : '';
  const command = `-break-insert${pending}${conditionOption(at.condition)} ${explicit(at)}`;
  return breakpointOf(await gdb.command(command, inLanguage(at.language)));
}

/** One at a machine instruction; `address` is an expression that gdb evaluates in every inferior, in this thread's first. */
export async function breakAtAddress(thread: GdbThread, address: string, condition?: string): Promise<GdbBreakpoint> {
  const command = `-break-insert ${select(thread)}${conditionOption(condition)} ${quote(`*${address}`)}`;
  return breakpointOf(await thread.gdb.command(command));
}

/** Whether to stop when memory is written, read (as far as the machine can distinguish that), or either. */
export type WatchAccess = 'write' | 'read' | 'readWrite';

/**
 * Stops this thread's process when it touches what the expression of C names. Answers gdb's number. MI's option for the language
 * ends where gdb selects the frame: from there on the frame's language counts, and Fortran has no type double.
 */
export async function breakWatch(thread: GdbThread, expression: string, access: WatchAccess): Promise<string> {
  const option = { write: '', read: '-r ', readWrite: '-a ' }[access];
  const command = `-break-watch ${select(thread)} ${option}${quote(expression)}`;
  const answer = await thread.gdb.command(command, inLanguage('c'));
  const [made] = ['wpt', 'hw-rwpt', 'hw-awpt'].flatMap((name) => (answer[name] === undefined ? [] : [name]));
  return text(tuple(answer, made ?? 'wpt'), 'number');
}

export type CxxEvent = 'throw' | 'rethrow' | 'catch';

/** Stops where a C++ exception is thrown or caught. `type`: a regular expression for the names of types. */
export async function catchException(
  gdb: MiCommands,
  event: CxxEvent,
  type: string | undefined,
): Promise<GdbBreakpoint> {
  const option = type === undefined ? '' : ` -r ${quote(type)}`;
  return breakpointOf(await gdb.command(`-catch-${event}${option}`));
}

/** Replaces the condition; in the language of the breakpoint's place. */
export async function breakCondition(gdb: MiCommands, number: string, condition: string): Promise<void> {
  await gdb.command(`-break-condition ${number} ${condition}`);
}

/** As gdb names them. */
export interface CodeAround {
  function: string;
  file: string;
}

/** What contains a location, as far as known; nothing if there is no code yet. Rejects with GdbError. */
export async function codeAround(gdb: MiCommands, at: BreakpointLocation): Promise<Partial<CodeAround>> {
  return codeAroundPlace(gdb, `-f -d ${explicit(at)}`);
}

/** The same of an instruction of this thread's process. */
export async function codeAroundAddress(thread: GdbThread, address: bigint): Promise<Partial<CodeAround>> {
  return codeAroundPlace(thread.gdb, `${select(thread)} -d ${quote(`*0x${address.toString(16)}`)}`);
}

async function codeAroundPlace(gdb: MiCommands, place: string): Promise<Partial<CodeAround>> {
  // gdb reports this only for a breakpoint. This one is disabled: nothing can hit it.
  const bkpt = tuple(await gdb.command(`-break-insert ${place}`), 'bkpt');
  await breakDelete(gdb, text(bkpt, 'number'));
  const known = [bkpt, ...tuples(bkpt, 'locations')].find((location) => location.func !== undefined);
  if (known === undefined) return {};
  const file = optionalText(known, 'fullname') ?? optionalText(known, 'file');
  return { function: text(known, 'func'), ...(file === undefined ? {} : { file }) };
}

/** A place at which gdb would stop. */
export interface CodeLocation extends Partial<CodeAround> {
  address: bigint;
  line: number | undefined;
  /** The inferiors that have it. */
  threadGroups: readonly string[];
}

/** All places of a location, each in its inferiors; empty if there is no code for it. Rejects with GdbError. */
export async function codeLocations(gdb: MiCommands, at: BreakpointLocation): Promise<CodeLocation[]> {
  // As in codeAround.
  const bkpt = tuple(await gdb.command(`-break-insert -f -d ${explicit(at)}`), 'bkpt');
  await breakDelete(gdb, text(bkpt, 'number'));
  return [bkpt, ...tuples(bkpt, 'locations')].flatMap((place) => {
    const address = optionalText(place, 'addr')?.startsWith('0x') === true ? optionalAddress(place, 'addr') : undefined;
    const file = optionalText(place, 'fullname') ?? optionalText(place, 'file');
    const name = optionalText(place, 'func');
    return address === undefined
      ? []
      : {
          ...{ address, line: optionalInteger(place, 'line'), threadGroups: texts(place, 'thread-groups') },
          ...(name === undefined ? {} : { function: name }),
          ...(file === undefined ? {} : { file }),
        };
  });
}

/**
 * Rejects with GdbError, in gdb's words, for a condition that is invalid there. Answers the place that it was parsed at. `thread`: of an
 * inferior that has the code; gdb parses it in the one that is current.
 */
export async function checkCondition(
  gdb: MiCommands,
  at: BreakpointLocation & { language?: 'c' | 'fortran' | undefined },
  condition: string | undefined,
  thread?: GdbThread,
): Promise<GdbBreakpoint> {
  const where = thread === undefined ? '' : ` ${select(thread)}`;
  const command = `-break-insert${where} -f -d${conditionOption(condition)} ${explicit(at)}`;
  const made = breakpointOf(await gdb.command(command, inLanguage(at.language)));
  await breakDelete(gdb, made.number);
  return made;
}

/** See breakWatch. */
function inLanguage(language: 'c' | 'fortran' | undefined): string[] {
  return language === undefined ? [] : [`language ${language}`];
}

/** The same at an address, which is an expression as in breakAtAddress. */
export async function checkConditionAt(
  thread: GdbThread,
  address: string,
  { condition, language }: { condition: string | undefined; language?: 'c' | 'fortran' | undefined },
): Promise<GdbBreakpoint> {
  const command = `-break-insert ${select(thread)} -d${conditionOption(condition)} ${quote(`*${address}`)}`;
  const made = breakpointOf(await thread.gdb.command(command, inLanguage(language)));
  await breakDelete(thread.gdb, made.number);
  return made;
}

export async function breakDelete(gdb: MiCommands, number: string): Promise<void> {
  await gdb.command(`-break-delete ${number}`);
}

/** Stops every process of this gdb that execs. MI has no command for it. Answers gdb's number. */
export async function catchExec(gdb: MiCommands): Promise<string> {
  const printed = await gdb.console('catch exec');
  return /Catchpoint (\d+)/.exec(printed)?.[1] ?? '';
}

/** The lines of a file that have code, ascending. Rejects with GdbError for a file that gdb does not know. */
export async function symbolListLines(thread: GdbThread, file: string): Promise<number[]> {
  const answer = await thread.gdb.command(`-symbol-list-lines ${select(thread)} ${quote(file)}`);
  const lines = tuples(answer, 'lines').map((line) => integer(line, 'line'));
  return [...new Set(lines)].filter((line) => line > 0).sort((a, b) => a - b);
}

function explicit(at: BreakpointLocation): string {
  return at.kind === 'function' ? `--function ${quote(at.function)}` : `--source ${quote(at.file)} --line ${at.line}`;
}

function conditionOption(condition: string | undefined): string {
  return condition === undefined ? '' : ` -c ${quote(condition)}`;
}
