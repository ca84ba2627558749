/** GDB/MI Thread Commands. */
import type { GdbThread, MiCommands } from './context';
import { integer, optionalText, tuples } from './mi-values';

/** The thread's own name, as pthread_setname_np or the kernel gave it. */
export async function threadName(thread: GdbThread): Promise<string | undefined> {
  const [info] = tuples(await thread.gdb.command(`-thread-info ${thread.gdbThread}`), 'threads');
  return info === undefined ? undefined : optionalText(info, 'name');
}

/** gdb's numbers of the stopped threads of all its inferiors. */
export async function stoppedThreads(gdb: MiCommands): Promise<Set<number>> {
  const threads = tuples(await gdb.command('-thread-info'), 'threads');
  return new Set(threads.flatMap((thread) => (thread.state === 'stopped' ? [integer(thread, 'id')] : [])));
}

/** The kernel's number of each thread of gdb that has one, by gdb's own. */
export async function kernelThreads(gdb: MiCommands): Promise<Map<number, number>> {
  const threads = tuples(await gdb.command('-thread-info'), 'threads');
  return new Map(
    threads.flatMap((thread): [number, number][] => {
      const lwp = /LWP (\d+)/.exec(optionalText(thread, 'target-id') ?? '')?.[1];
      return lwp === undefined ? [] : [[integer(thread, 'id'), Number(lwp)]];
    }),
  );
}
