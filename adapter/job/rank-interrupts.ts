/** The ranks that have been told to stop and have not yet stopped as a whole. */
import { execInterrupt } from '../gdb/mi/program-execution';
import type { CallOff, Clock } from './clock';
import type { Rank, RankThread } from './rank';
import { ignoreIfGone } from './rank-ended';

/**
 * Milliseconds until threads that have not stopped are interrupted again: gdb 13 forgets to stop a thread that just
 * then reaches a breakpoint whose condition is false, and the rank would never stop.
 */
const stopTimeout = 300;

export class RankInterrupts {
  private readonly interrupting = new Map<Rank, CallOff>();

  constructor(private readonly clock: Clock) {}

  has(rank: Rank): boolean {
    return this.interrupting.has(rank);
  }

  /** Interrupts the threads that run. Nothing to do for a rank that is stopping or held. */
  async interrupt(rank: Rank): Promise<void> {
    if (this.interrupting.has(rank) || rank.isHeld) return;
    this.askAgainLater(rank);
    await execInterrupt(rank);
  }

  /** A thread that its rank has just started stops with it. */
  include(thread: RankThread): void {
    if (this.interrupting.has(thread.rank)) execInterrupt(thread).catch(ignoreIfGone);
  }

  /** The rank has stopped, or ended. */
  end(rank: Rank): void {
    this.interrupting.get(rank)?.();
    this.interrupting.delete(rank);
  }

  private askAgainLater(rank: Rank): void {
    const callOff = this.clock.after(stopTimeout, () => {
      if (!rank.isHeld) execInterrupt(rank).catch(ignoreIfGone);
      this.askAgainLater(rank);
    });
    this.interrupting.set(rank, callOff);
  }
}
