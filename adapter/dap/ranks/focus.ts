/** Which ranks a command of the user acts on. */
import type { Job } from '../../job/job';
import { canBeRead, type Rank, type RankThread } from '../../job/rank';
import { formatRanks, parseRanks, type RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import { nothingStopped, rankRuns, unknownThread } from '../client/errors';
import type { Scope } from '../../../plugin-api/answers/focus-body';

export class Focus {
  /**
   * `chosen`: undefined for all ranks. `scope`: of commands that name none. Throws RankSetError when the job lacks a rank
   * of the set.
   */
  constructor(
    private readonly job: Job,
    private chosen: readonly RanksOfWorld[] | undefined,
    public scope: Scope = 'focus',
  ) {
    this.job.select(chosen);
  }

  get ranks(): readonly Rank[] {
    return this.job.select(this.chosen);
  }

  /** undefined: all ranks. */
  get set(): readonly RanksOfWorld[] | undefined {
    return this.chosen;
  }

  /** "0-3,7"; undefined for all ranks. */
  get text(): string | undefined {
    return this.chosen === undefined ? undefined : formatRanks(this.ranks);
  }

  /** undefined: all ranks. Throws RankSetError when the job lacks one of them. */
  choose(set: readonly RanksOfWorld[] | undefined): void {
    this.job.select(set);
    this.chosen = set;
  }

  /** The ranks that a request names instead; undefined for a text that is left out or empty. Throws RankSetError. */
  named(text: string | undefined): readonly Rank[] | undefined {
    return text === undefined || text.trim() === '' ? undefined : this.job.select(parseRanks(text));
  }

  /** The ranks that a command on this thread acts on. */
  ranksFor(scope: Scope, thread: RankThread): readonly Rank[] {
    if (scope === 'all') return this.job.ranks;
    return scope === 'focus' ? this.ranks : [thread.rank];
  }

  /** The ranks that can be read. Throws RequestError when there are none. */
  stoppedRanks(): readonly Rank[] {
    const ranks = this.ranks.filter(canBeRead);
    if (ranks.length === 0) throw nothingStopped();
    return ranks;
  }

  /** Throws RequestError for a thread that has ended. */
  thread(id: number): RankThread {
    const thread = this.job.thread(id);
    if (thread === undefined) throw unknownThread(id);
    return thread;
  }

  /** The thread with this id. Throws RequestError if its rank cannot be read. */
  stoppedThread(id: number): RankThread {
    const thread = this.thread(id);
    if (!canBeRead(thread.rank)) throw rankRuns(thread.rank);
    return thread;
  }
}
