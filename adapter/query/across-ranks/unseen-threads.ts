/** Threads that gdb does not have: it cannot attach to a first thread that has ended, and through another one it has that alone. */
import type { Rank } from '../../job/rank';

/** How many of the others; undefined: the first thread has not ended. */
export async function unseenThreadsOf({ process, threads }: Rank): Promise<number | undefined> {
  if (process === undefined || !(await process.hasLostFirstThread())) return undefined;
  return Math.max(0, (await process.livingThreads()) - threads.length);
}
