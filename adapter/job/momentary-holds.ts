/** Holds running ranks for a moment, which is not reported if they continue unchanged. */
import type { Rank } from './rank';
import { ignoreIfGone } from './rank-ended';
import type { RankInterrupts } from './rank-interrupts';
import type { RankMoves } from './rank-moves';

export class MomentaryHolds {
  /** Ranks that are held, or about to be, without a report. */
  private readonly unseen = new Set<Rank>();
  /** What is to be done when the rank is held. */
  private readonly errands = new Map<Rank, (() => Promise<void>)[]>();

  constructor(
    private readonly interrupts: RankInterrupts,
    private readonly moves: RankMoves,
  ) {}

  /** Not a rank that steps or runs only some threads: it could not continue the same way. */
  async glance(rank: Rank): Promise<void> {
    if (!this.goesOnAlike(rank) || this.interrupts.has(rank)) return;
    const interrupted = this.interrupts.interrupt(rank);
    this.unseen.add(rank);
    await interrupted.catch(ignoreIfGone);
  }

  /** Runs `work` while the rank is held, for a moment if it runs. Rejects as the work does. */
  async whileHeld<Result>(rank: Rank, work: () => Promise<Result>): Promise<Result> {
    if (rank.state !== 'running') return work();
    return new Promise<Result>((resolve, reject) => {
      const errand = (): Promise<void> => work().then(resolve, reject);
      this.errands.set(rank, [...(this.errands.get(rank) ?? []), errand]);
      // It is stopping, or held until its stop is published: the work is done before that.
      if (this.interrupts.has(rank) || rank.isHeld) return;
      const isUnseen = this.goesOnAlike(rank);
      this.show(rank);
      this.interrupts.interrupt(rank).catch(ignoreIfGone);
      if (isUnseen) this.unseen.add(rank);
    });
  }

  hasErrands(rank: Rank): boolean {
    return this.errands.has(rank);
  }

  /** The rank is held, or has ended: runs the waiting work. */
  async doErrands(rank: Rank): Promise<void> {
    const errands = this.errands.get(rank) ?? [];
    this.errands.delete(rank);
    for (const errand of errands) await errand();
  }

  /** The rank is stopping only for such work, and continues as soon as it is held, if it can. */
  passOver(rank: Rank): void {
    if (rank.state === 'running' && !this.interrupts.has(rank) && !this.moves.isPartial(rank)) this.unseen.add(rank);
  }

  /** The rank's stop or end is published. Returns whether the stop would not have been reported. */
  show(rank: Rank): boolean {
    return this.unseen.delete(rank);
  }

  /** After a moment in which it was held: it does not step, and all its threads run. */
  private goesOnAlike(rank: Rank): boolean {
    const runs = rank.state === 'running' && rank.threads.every(({ state }) => state === 'running');
    return runs && !this.moves.isPartial(rank);
  }
}
