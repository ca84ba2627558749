/** Ranks shown as stopped without a stop event: attached to, or read from a core file. */
import { ownRank } from './rank-record';
import type { Rank, RankThread, StopReason, ThreadStop } from './rank';

/** A held rank is shown: it is 'stopped' from now on, without an event. */
export function reveal(held: Rank, reason: StopReason): void {
  const rank = ownRank(held);
  const [first] = rank.threads;
  if (first === undefined || rank.state !== 'starting') return;
  rank.state = 'stopped';
  rank.current = first;
  first.stop = { reason, breakpoints: [] };
}

/**
 * The threads that gdb made of a core file, which never run. `order`: gdb's numbers of them, the one that called main
 * first; `current`: the one that the process ended in.
 */
export function showCore(opened: Rank, order: readonly number[], current: number, stop: ThreadStop): void {
  const rank = ownRank(opened);
  const index = ({ gdbThread }: RankThread): number => order.indexOf(gdbThread);
  rank.threads.sort((a, b) => index(a) - index(b));
  for (const thread of rank.threads) thread.state = 'stopped';
  rank.state = 'core';
  rank.current = rank.threads.find(({ gdbThread }) => gdbThread === current) ?? rank.threads[0];
  if (rank.current !== undefined) rank.current.stop = stop;
}
