/** GDB/MI Thread Commands. */
import type { GdbThread } from './context';
import { optionalText, tuples } from './mi-values';

/** The thread's own name, as pthread_setname_np or the kernel gave it. */
export async function threadName(thread: GdbThread): Promise<string | undefined> {
  const [info] = tuples(await thread.gdb.command(`-thread-info ${thread.gdbThread}`), 'threads');
  return info === undefined ? undefined : optionalText(info, 'name');
}
