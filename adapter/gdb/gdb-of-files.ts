/** A gdb that only reads files: it holds no process, so it needs no guardian. */
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { GdbThreadGroup } from './mi/context';
import { Gdb, UnusableGdbError } from './gdb';
import { GdbLostError } from './mi/mi-connection';
import { quote } from './mi/mi-values';

export interface GdbOfFiles {
  /** For questions about types. */
  readonly at: GdbThreadGroup;
  end(): void;
}

/**
 * Loads the symbols of all files, with the debug information that gdb finds for each. Rejects with UnusableGdbError,
 * GdbError.
 */
export async function openFiles(gdbPath: string, files: readonly string[]): Promise<GdbOfFiles> {
  // With PYTHONUNBUFFERED gdb writes every character by itself.
  const env = { ...process.env, PYTHONUNBUFFERED: undefined };
  const child = spawn(gdbPath, ['-nx', '-q', '-i=mi3'], { stdio: ['pipe', 'pipe', 'ignore'], env });
  const failed = new Promise<never>((_, reject) => {
    child.on('error', (error) => reject(new UnusableGdbError(`gdb cannot be run (${error.message})`)));
  });
  failed.catch(() => undefined);
  const end = (): void => void child.kill();
  try {
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
    const gdb = await Promise.race([failed, Gdb.connect(stream)]);
    for (const [index, file] of files.entries())
      await (index === 0
        ? gdb.command(`-file-symbol-file ${quote(file)}`)
        : gdb.console(`add-symbol-file ${quote(file)}`));
    return { at: { gdb, threadGroup: 'i1' }, end };
  } catch (error) {
    end();
    if (error instanceof GdbLostError)
      throw new UnusableGdbError(`${gdbPath} cannot be used as gdb (${error.message})`);
    throw error;
  }
}
