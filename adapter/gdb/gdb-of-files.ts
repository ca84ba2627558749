/** A gdb that only reads files: it holds no process, so it needs no guardian. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import type { GdbThreadGroup } from './mi/context';
import { without } from '../hosts/own-environment';
import { Gdb } from './gdb';
import { UnusableGdbError } from './unusable-gdb';
import { inSomeEnvironment } from './gdb-environment';
import { GdbLostError } from './mi/mi-connection';
import { quote } from './mi/mi-values';

export interface GdbOfFiles {
  /** For questions about types. */
  readonly at: GdbThreadGroup;
  end(): void;
}

/**
 * Loads the symbols of all files, with the debug information that gdb finds for each. gdb ends when `signal` is aborted. Rejects with
 * UnusableGdbError, GdbError.
 */
export function openFiles(gdbPath: string, files: readonly string[], signal?: AbortSignal): Promise<GdbOfFiles> {
  return inSomeEnvironment((dropped) => openIn(gdbPath, files, dropped, signal));
}

async function openIn(
  gdbPath: string,
  files: readonly string[],
  dropped: readonly string[],
  signal: AbortSignal | undefined,
): Promise<GdbOfFiles> {
  // With PYTHONUNBUFFERED gdb writes every character by itself.
  const env = without(process.env, [...dropped, 'PYTHONUNBUFFERED']);
  const child = spawn(gdbPath, ['-nx', '-q', '-i=mi3'], { stdio: ['pipe', 'pipe', 'ignore'], env });
  const end = (): void => void child.kill();
  try {
    await once(child, 'spawn', { signal }).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'no such file' : error.message;
      throw new UnusableGdbError(`gdb cannot be run (${gdbPath}: ${why})`);
    });
    signal?.addEventListener('abort', end, { once: true });
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
    const gdb = await Gdb.connect(gdbPath, stream);
    for (const [index, file] of files.entries())
      await (index === 0
        ? gdb.command(`-file-symbol-file ${quote(file)}`)
        : gdb.console(`add-symbol-file ${quote(file)}`));
    return { at: { gdb, threadGroup: 'i1' }, end };
  } catch (error) {
    end();
    if (error instanceof GdbLostError)
      throw new UnusableGdbError(`${gdbPath} cannot be used as gdb (${error.message})`, true);
    throw error;
  }
}
