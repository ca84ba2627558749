/** The source lines of addresses in a file, from its debug information: no process is needed. */
import { basename } from 'node:path';
import type { NotedCalls } from '../../plugin-api/fortran/noted-calls';
import { withoutParameters } from '../../plugin-api/function-name';
import { withPlainPath } from '../hosts/plain-path';
import { withinTime } from '../hosts/time-limit';
import { instructionRows, type InstructionRow } from '../elf/debug-lines';
import { UnusableGdbError } from './unusable-gdb';
import type { MiCommands } from './mi/context';
import { quote } from './mi/mi-values';
import { GdbError } from './mi/mi-connection';
import { dataDisassemble } from './mi/data-manipulation';
import { openFiles } from './gdb-of-files';

export interface SourceLine {
  /** Absolute, as the compiler had it. */
  file: string;
  /** Missing where the compiler has noted a wrong one. */
  line?: number;
  /** The innermost function there, also one that is inlined, as gdb names it; missing where gdb has no Python. */
  function?: string;
  /** For a call in Fortran, whose line may be another one: missing where the code does not tell. */
  calls?: NotedCalls;
  /** Where it is inlined, outward; missing where it is not. */
  inlinedAt?: readonly Omit<SourceLine, 'inlinedAt' | 'calls'>[];
}

/** Milliseconds; gdb reads a GB of debug information in some seconds. */
const maxReading = 60_000;

/**
 * `addresses`: of the file, as it was linked. Those without a line are left out. Rejects with UnusableGdbError, and with GdbError
 * where gdb cannot read the file.
 */
export function sourceLines(
  gdbPath: string,
  path: string,
  addresses: readonly bigint[],
): Promise<ReadonlyMap<bigint, SourceLine>> {
  const late = (): Error => new UnusableGdbError(`${gdbPath} does not tell the lines of ${path} within a minute`);
  return withinTime({ milliseconds: maxReading, late }, (signal) =>
    withPlainPath(path, (name) => readLines(gdbPath, name, addresses, signal)),
  );
}

async function readLines(
  gdbPath: string,
  path: string,
  addresses: readonly bigint[],
  signal: AbortSignal,
): Promise<ReadonlyMap<bigint, SourceLine>> {
  const opened = await openFiles(gdbPath, [path], signal);
  const { at } = opened;
  try {
    await at.gdb.command(`-file-exec-file ${quote(path)}`);
    const found = new Map<bigint, SourceLine>();
    const functions = await functionsOf(at.gdb, addresses);
    const rows = instructionRows(path, addresses);
    for (const [index, address] of addresses.entries()) {
      const place = await lineOf(at, address);
      const [of, ...outer] = functions[index] ?? [];
      if (place === undefined) continue;
      const { file, line } = ofInstruction(place, functions[index] ?? [], rows.get(address));
      const isKnown = of === undefined || outer.length > 0 || !isLineOfHeading(file, line, of);
      const chain = [of, ...outer];
      const inlinedAt = outer.map(({ name }, i) => ({ file: chain[i]!.file, line: chain[i]!.line, function: name }));
      const heading = of && headingOf(of, outer);
      const calls = heading !== undefined && isFortran(file) ? await callsAt(at, address, heading) : undefined;
      found.set(address, {
        ...{ file, ...(isKnown ? { line } : {}), ...(of === undefined ? {} : { function: of.name }) },
        ...(inlinedAt.length === 0 ? {} : { inlinedAt }),
        ...(calls && { calls }),
      });
    }
    return found;
  } finally {
    opened.end();
  }
}

/**
 * gdb tells the last row that begins a statement. In optimised code the instruction may belong to a later row, which begins none: where a function is
 * inlined but none of its instructions is left, GCC notes its statements, and then the caller's line for the instruction.
 */
function ofInstruction(
  place: { file: string; line: number },
  functions: readonly DeclaredFunction[],
  row: InstructionRow | undefined,
): { file: string; line: number } {
  const file = [place, ...functions].find((each) => row !== undefined && basename(each.file) === row.file)?.file;
  return file === undefined ? place : { file, line: row!.line };
}

/** A function, and where it is declared, one that is inlined: called; the line is 0 where that is not known. */
interface DeclaredFunction {
  name: string;
  file: string;
  line: number;
}

/**
 * gfortran (12 to 16) notes the line of the PROGRAM, SUBROUTINE or FUNCTION statement for a call that passes a local scalar
 * to an INTENT(OUT) argument, such as `ierror` of MPI's modules, unless the call also passes constants or expressions. The line of
 * the call is noted nowhere then.
 */
function isLineOfHeading(file: string, line: number, { line: heading }: DeclaredFunction): boolean {
  return line === heading && isFortran(file);
}

function isFortran(file: string): boolean {
  return /\.(f|for|ftn|fpp|f\d\d)$/i.test(file);
}

/** undefined: it is inlined, so that the calls of others are around it. gfortran's main holds nothing else. */
function headingOf(of: DeclaredFunction, outer: readonly DeclaredFunction[]): NotedCalls['heading'] | undefined {
  if (outer.length === 0) return of.line;
  return outer.length === 1 && outer[0]!.name === 'main' ? of.name : undefined;
}

/** undefined: there is no call of a procedure that has a name. */
async function callsAt(
  at: Parameters<typeof dataDisassemble>[0],
  address: bigint,
  heading: NotedCalls['heading'],
): Promise<NotedCalls | undefined> {
  try {
    const code = await dataDisassemble(at, { around: address });
    const own = code.findLast((each) => each.address <= address);
    const symbol = own && calledIn(own.text);
    if (symbol === undefined) return undefined;
    const calls = code.filter(({ text }) => calledIn(text) === symbol);
    return { symbol, lines: calls.map(({ line }) => line), index: calls.indexOf(own!), heading };
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** "mpi_barrier_" of "call 0x1050 <mpi_barrier_@plt>". */
function calledIn(instruction: string): string | undefined {
  return /^call\w* .*<([\w.]+)(?:@plt)?>$/.exec(instruction)?.[1];
}

async function lineOf(
  at: Parameters<typeof dataDisassemble>[0],
  address: bigint,
): Promise<{ file: string; line: number } | undefined> {
  try {
    const [first] = await dataDisassemble(at, { from: address, to: address + 1n });
    return first?.file === undefined || first.line === undefined ? undefined : { file: first.file, line: first.line };
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** What gdb tells of an address: the symbol that it lies in, where that begins, and the functions around it, the innermost first. */
interface ToldFunctions {
  symbol: string;
  entry: number | null;
  around: (DeclaredFunction & { start: number; linkageName: string })[];
}

/**
 * For each address, the innermost function and those that it is inlined in; empty where gdb cannot tell. A procedure that
 * contains another one is no caller: the chain ends with the function that the symbol is of.
 */
async function functionsOf(gdb: MiCommands, addresses: readonly bigint[]): Promise<readonly DeclaredFunction[][]> {
  const names = '"name": b.function.print_name, "linkageName": b.function.linkage_name';
  const describe = `{${names}, "file": b.function.symtab.fullname(), "line": b.function.line, "start": b.start}`;
  const around = `f = lambda b: [] if b is None else ([${describe}] if b.function else []) + f(b.superblock)`;
  const symbol = 're.match(r"(.*?)(?: [+] ([0-9]+))? in section", gdb.execute("info symbol %d" % a, to_string=True))';
  const entry = `e = lambda a: (lambda m: (m[1], a - int(m[2] or 0)) if m else ("", None))(${symbol})`;
  const each = '{**dict(zip(("symbol", "entry"), e(a))), "around": f(gdb.block_for_pc(a))}';
  const all = `[${each} for a in (${addresses.map((address) => `${address},`).join('')})]`;
  try {
    const told = JSON.parse(
      await gdb.console(`python import json, re; ${around}; ${entry}; print(json.dumps(${all}))`),
    ) as ToldFunctions[];
    return told.map((at) => at.around.slice(0, Math.max(0, outermostOf(at)) + 1));
  } catch (error) {
    if (error instanceof GdbError || error instanceof SyntaxError) return [];
    throw error;
  }
}

/**
 * -1: not known. What compilers seldom expect to run lies apart from its function, often before it, and has a symbol of its own: `solve.cold`, which
 * gdb writes as "solve[cold]" or "solve(int) [clone .cold]".
 */
function outermostOf({ symbol, entry, around }: ToldFunctions): number {
  const begins = around.findIndex(({ start }) => start === entry);
  const whole = symbol.replace(/(\[cold\]| \[clone \.cold\]|\.cold)$/, '');
  // main of C++ has a symbol without parameters.
  const isWhole = (of: { name: string; linkageName: string }): boolean =>
    of.name === whole || of.linkageName === whole || withoutParameters(of.name) === whole;
  return begins >= 0 ? begins : around.findLastIndex(isWhole);
}
