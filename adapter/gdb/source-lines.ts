/** The source lines of addresses in a file, from its debug information: no process is needed. */
import { quote } from './mi/mi-values';
import { GdbError } from './mi/mi-connection';
import { dataDisassemble } from './mi/data-manipulation';
import { openFiles } from './gdb-of-files';

export interface SourceLine {
  /** Absolute, as the compiler had it. */
  file: string;
  line: number;
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
    for (const address of addresses) {
      const line = await lineOf(at, address);
      if (line !== undefined) found.set(address, line);
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
