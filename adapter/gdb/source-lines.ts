/** The source lines of addresses in a file, from its debug information: no process is needed. */
import type { MiCommands } from './mi/context';
import { quote } from './mi/mi-values';
import { GdbError } from './mi/mi-connection';
import { dataDisassemble } from './mi/data-manipulation';
import { openFiles } from './gdb-of-files';

export interface SourceLine {
  /** Absolute, as the compiler had it. */
  file: string;
  line: number;
  /** The innermost function there, also one that is inlined, as gdb names it; missing where gdb has no Python. */
  function?: string;
}

/**
 * `addresses`: of the file, as it was linked. Those without a line are left out. Rejects with UnusableGdbError, and with GdbError
 * where gdb cannot read the file.
 */
export async function sourceLines(
  gdbPath: string,
  path: string,
  addresses: readonly bigint[],
): Promise<ReadonlyMap<bigint, SourceLine>> {
  const opened = await openFiles(gdbPath, [path]);
  const { at } = opened;
  try {
    await at.gdb.command(`-file-exec-file ${quote(path)}`);
    const found = new Map<bigint, SourceLine>();
    const functions = await functionsOf(at.gdb, addresses);
    for (const [index, address] of addresses.entries()) {
      const line = await lineOf(at, address);
      const name = functions[index] ?? undefined;
      if (line !== undefined) found.set(address, { ...line, ...(name === undefined ? {} : { function: name }) });
    }
    return found;
  } finally {
    opened.end();
  }
}

async function lineOf(at: Parameters<typeof dataDisassemble>[0], address: bigint): Promise<SourceLine | undefined> {
  try {
    const [first] = await dataDisassemble(at, { from: address, to: address + 1n });
    return first?.file === undefined || first.line === undefined ? undefined : { file: first.file, line: first.line };
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** Of each address; empty where gdb cannot tell. */
async function functionsOf(gdb: MiCommands, addresses: readonly bigint[]): Promise<readonly (string | null)[]> {
  const find = 'f = lambda b: None if b is None else b.function.print_name if b.function else f(b.superblock)';
  const names = `[f(gdb.block_for_pc(a)) for a in (${addresses.map((address) => `${address},`).join('')})]`;
  try {
    const told: unknown = JSON.parse(await gdb.console(`python import json; ${find}; print(json.dumps(${names}))`));
    return Array.isArray(told) ? told.map((name) => (typeof name === 'string' ? name : null)) : [];
  } catch (error) {
    if (error instanceof GdbError || error instanceof SyntaxError) return [];
    throw error;
  }
}
