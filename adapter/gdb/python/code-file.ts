import type { GdbThread } from '../mi/context';

/** The file, a program or a library, whose code is at this address; undefined: gdb has none. Rejects with GdbError. */
export async function codeFileAt(thread: GdbThread, address: bigint): Promise<string | undefined> {
  const asked = `gdb.solib_name(${address}) or gdb.current_progspace().filename or ''`;
  const path = (await thread.gdb.console(`python print(${asked})`, thread)).trim().replace(/^target:/, '');
  return path.startsWith('/') ? path : undefined;
}
