/** GDB/MI File Commands, and what MI has no command for: loading the symbols of shared libraries. */
import type { GdbThread } from './context';

/** Loads the symbols of every shared library that the thread's process has mapped now. */
export async function sharedLibrary(thread: GdbThread): Promise<void> {
  await thread.gdb.console('sharedlibrary', thread);
}
