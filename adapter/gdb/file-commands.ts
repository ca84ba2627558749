/** GDB/MI File Commands, and what MI has no command for: loading the symbols of shared libraries. */
import type { GdbThreadGroup } from './context';

/** Loads the symbols of every shared library that the inferior has mapped now. */
export async function sharedLibrary(group: GdbThreadGroup): Promise<void> {
  await group.gdb.console('sharedlibrary', { gdb: group.gdb, threadGroup: group.threadGroup });
}
