/** Which ranks a command of the user acts on. */
import type { Job } from '../job/job';
import type { Rank, RankThread } from '../job/rank';
import type { RankSet } from '../job/rank-set';
import { rankRuns, unknownThread } from './errors';

export class Focus {
  /** `set`: undefined for all ranks. Throws RankSetError when the job lacks one of them. */
  constructor(
    private readonly job: Job,
    private readonly set: RankSet | undefined,
  ) {
    job.select(set);
  }

  get ranks(): readonly Rank[] {
    return this.job.select(this.set);
  }

  /** Throws RequestError for a thread that has ended. */
  thread(id: unknown): RankThread {
    const thread = typeof id === 'number' ? this.job.thread(id) : undefined;
    if (thread === undefined) throw unknownThread(id);
    return thread;
  }

  /** The same, and its rank can be looked at. */
  stoppedThread(id: unknown): RankThread {
    const thread = this.thread(id);
    if (!canBeRead(thread.rank)) throw rankRuns(thread.rank);
    return thread;
  }
}

/** True when stacks and variables of the rank can be asked for. */
export function canBeRead(rank: Rank): boolean {
  return rank.state === 'stopped' || rank.state === 'core';
}
