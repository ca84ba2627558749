/** Releases the ranks of one gdb. */
import { targetDetach } from '../gdb/mi/target-manipulation';
import { inTime } from './clock';
import type { GdbRanks } from './gdb-ranks';
import type { Rank } from './rank';
import { forgiveEnd } from './rank-ended';

/** Milliseconds. A process that the kernel cannot stop is released as it is. */
export const maxInterrupt = 3000;

/** Milliseconds. A gdb that does not answer, for example because it waits for a file, is ended: its guardian releases its ranks. */
const maxDetach = 10_000;

/**
 * Releases the live ones: they run on as if there had been no gdb. All are held first: while one runs, gdb 13 leaves
 * breakpoints in those that it detaches, and the next one that they hit ends them. `whenHeld` is called for each once
 * it is held. Resolves when gdb has done so, or does not answer.
 */
export function detachRanks(group: GdbRanks, whenHeld?: (rank: Rank) => Promise<void>): Promise<void> {
  return inTime(group.clock, holdAndDetach(group, whenHeld), maxDetach);
}

async function holdAndDetach(group: GdbRanks, whenHeld?: (rank: Rank) => Promise<void>): Promise<void> {
  const ranks = group.ranks.filter((rank) => rank.alive);
  await Promise.all(ranks.map((rank) => hold(group, rank).catch(forgiveEnd)));
  await Promise.all(ranks.map((rank) => group.floatTraps.release(rank)));
  await Promise.all(ranks.map(async (rank) => whenHeld?.(rank)));
  await Promise.all(ranks.map((rank) => targetDetach(rank).catch(forgiveEnd)));
}

async function hold(group: GdbRanks, rank: Rank): Promise<void> {
  if (rank.isHeld) return;
  await group.interrupt(rank);
  await inTime(group.clock, group.held(rank), maxInterrupt);
}
