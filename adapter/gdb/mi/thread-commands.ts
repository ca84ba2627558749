/** GDB/MI Thread Commands. */
import type { GdbThread, MiCommands } from './context';
import { integer, optionalText, tuples, type MiTuple } from './mi-values';

/** gdb's numbers of the stopped threads of all its inferiors. */
export async function stoppedThreads(gdb: MiCommands): Promise<Set<number>> {
  const threads = tuples(await gdb.command('-thread-info'), 'threads');
  return new Set(threads.flatMap((thread) => (thread.state === 'stopped' ? [integer(thread, 'id')] : [])));
}

export interface ListedThread {
  /** The thread's own name, as pthread_setname_np or the kernel gave it. */
  name: string | undefined;
  /** The kernel's number of it, where it has one. */
  tid: number | undefined;
}

/** undefined: it has ended. */
export async function threadInfo(thread: GdbThread): Promise<ListedThread | undefined> {
  const [info] = tuples(await thread.gdb.command(`-thread-info ${thread.gdbThread}`), 'threads');
  return info === undefined ? undefined : listed(info);
}

/** All threads of a gdb, by its own numbers of them. */
export async function listThreads(gdb: MiCommands): Promise<ReadonlyMap<number, ListedThread>> {
  const threads = tuples(await gdb.command('-thread-info'), 'threads');
  return new Map(threads.map((thread) => [integer(thread, 'id'), listed(thread)]));
}

function listed(thread: MiTuple): ListedThread {
  const lwp = /LWP (\d+)/.exec(optionalText(thread, 'target-id') ?? '')?.[1];
  return { name: optionalText(thread, 'name'), tid: lwp === undefined ? undefined : Number(lwp) };
}

/** The threads of several gdbs, while they are held: each is asked once for all of its ranks. */
export class ThreadListings {
  private readonly known = new Map<MiCommands, Promise<ReadonlyMap<number, ListedThread>>>();

  /** Rejects with GdbError. */
  of(gdb: MiCommands): Promise<ReadonlyMap<number, ListedThread>> {
    let listing = this.known.get(gdb);
    if (listing === undefined) this.known.set(gdb, (listing = listThreads(gdb)));
    return listing;
  }
}
