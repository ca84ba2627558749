/** The source lines of addresses in a file, from its debug information: no process is needed. */
import { withinTime } from '../hosts/time-limit';
import { UnusableGdbError } from './gdb';
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
  return withinTime({ milliseconds: maxReading, late }, (signal) => readLines(gdbPath, path, addresses, signal));
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
    for (const [index, address] of addresses.entries()) {
      const place = await lineOf(at, address);
      const of = functions[index] ?? undefined;
      if (place === undefined) continue;
      const { file, line } = place;
      const isKnown = of === undefined || !isLineOfHeading(file, line, of);
      found.set(address, { file, ...(isKnown ? { line } : {}), ...(of === undefined ? {} : { function: of.name }) });
    }
    return found;
  } finally {
    opened.end();
  }
}

/** A function, and the line where it is declared; 0 where that is not known. */
interface DeclaredFunction {
  name: string;
  line: number;
}

/**
 * gfortran (12 to 16) notes the line of the PROGRAM, SUBROUTINE or FUNCTION statement for a call that passes a local scalar
 * to an INTENT(OUT) argument, such as `ierror` of MPI's modules, unless the call also passes constants or expressions. The line of
 * the call is noted nowhere then.
 */
function isLineOfHeading(file: string, line: number, { line: heading }: DeclaredFunction): boolean {
  return line === heading && isFortranFile.test(file);
}

const isFortranFile = /\.(f|for|ftn|fpp|f\d\d)$/i;

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

/** Of each address, the innermost; empty where gdb cannot tell. */
async function functionsOf(
  gdb: MiCommands,
  addresses: readonly bigint[],
): Promise<readonly (DeclaredFunction | undefined)[]> {
  const describe = '{"name": b.function.print_name, "line": b.function.line}';
  const find = `f = lambda b: None if b is None else ${describe} if b.function else f(b.superblock)`;
  const names = `[f(gdb.block_for_pc(a)) for a in (${addresses.map((address) => `${address},`).join('')})]`;
  try {
    const told = JSON.parse(
      await gdb.console(`python import json; ${find}; print(json.dumps(${names}))`),
    ) as (DeclaredFunction | null)[];
    return told.map((each) => each ?? undefined);
  } catch (error) {
    if (error instanceof GdbError || error instanceof SyntaxError) return [];
    throw error;
  }
}
