/** Waits for a rank to stop as a whole, or to end. */
import type { Rank } from './rank';
import { RankEndedError } from './rank-ended';

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

export class StopWaiters {
  private readonly waiters = new Map<Rank, Waiter[]>();

  /** Resolves when every thread of the rank is stopped; rejects with RankEndedError when it ends instead. */
  held(rank: Rank): Promise<void> {
    if (rank.state === 'exited' || rank.state === 'lost') return Promise.reject(new RankEndedError(rank));
    if (rank.isHeld) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiters.set(rank, [...(this.waiters.get(rank) ?? []), { resolve, reject }]);
    });
  }

  hasStopped(rank: Rank): void {
    const waiters = this.waiters.get(rank) ?? [];
    this.waiters.delete(rank);
    for (const waiter of waiters) waiter.resolve();
  }

  hasEnded(rank: Rank): void {
    for (const waiter of this.waiters.get(rank) ?? []) waiter.reject(new RankEndedError(rank));
    this.waiters.delete(rank);
  }
}
