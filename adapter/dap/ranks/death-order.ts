/** Which ranks have died of themselves, and which have ended after them. */
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import { formatRanks } from '../../../plugin-api/answers/rank-set';
import { isFault } from '../../../plugin-api/answers/signal-words';
import type { EndReason } from './rank-ends';

export class DeathOrder {
  private readonly died = new Set<Rank>();

  constructor(
    job: Job,
    /** What is known of a rank's death; undefined: nothing. */
    private readonly causeOf: (rank: Rank) => string | undefined,
  ) {
    job.deaths.on('seen', (rank, { kind }) => {
      if (kind !== 'mpi-error-returned') this.died.add(rank);
    });
    job.on('stopped', ({ rank, stop }) => {
      if (this.isOwnDeath(stop.signal?.name)) this.died.add(rank);
    });
  }

  /** A launcher may end with SIGABRT those that are left when one has died. */
  private isOwnDeath(signal = ''): boolean {
    return isFault(signal) || (signal === 'SIGABRT' && this.died.size === 0);
  }

  /** It has ended. */
  add(rank: Rank): void {
    if (this.isOwnDeath(rank.end?.signal)) this.died.add(rank);
  }

  /** ": MPI_Abort(MPI_COMM_WORLD, 5) at halo.c:88", " after rank 1 had died"; or nothing. */
  why(rank: Rank): EndReason {
    const cause = this.causeOf(rank);
    if (cause !== undefined) return { text: `: ${cause}`, isConsequence: false };
    const before = [...this.died].filter((each) => each !== rank);
    if (this.died.has(rank) || before.length === 0 || rank.end?.exitCode === 0)
      return { text: '', isConsequence: false };
    return { text: ` after ${namedRanks(formatRanks(before))} had died`, isConsequence: true };
  }
}
