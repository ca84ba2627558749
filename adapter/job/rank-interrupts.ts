/** The ranks that have been told to stop as a whole, and have not yet. */
import { execInterrupt } from '../gdb/program-execution';
import type { Rank, RankThread } from './rank';
import { forgiveDeath } from './rank-ended';

export class RankInterrupts {
  private readonly interrupting = new Set<Rank>();

  has(rank: Rank): boolean {
    return this.interrupting.has(rank);
  }

  /** Interrupts the threads that run. Nothing to do for a rank that is stopping or held. */
  async interrupt(rank: Rank): Promise<void> {
    if (this.interrupting.has(rank) || rank.isHeld) return;
    this.interrupting.add(rank);
    await execInterrupt(rank);
  }

  /** A thread that its rank has just started stops with it. */
  include(thread: RankThread): void {
    if (this.interrupting.has(thread.rank)) execInterrupt(thread).catch(forgiveDeath);
  }

  /** The rank has stopped, or ended. */
  end(rank: Rank): void {
    this.interrupting.delete(rank);
  }
}
