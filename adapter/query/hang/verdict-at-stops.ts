/** The verdict on ranks that a user stops: one look each time, and with what the last one saw if they have run since. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import { verdictOf } from '../../../plugin-api/hang/verdict';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { Rank, ThreadStop } from '../../job/rank';
import type { JobQueries } from '../job-queries';
import { targetOf } from '../rank-ids';
import { explained } from './explanation';
import { lookAt } from './look';

interface LookAtStops {
  look: readonly ProcessState[];
  stops: ReadonlyMap<Rank, ThreadStop | undefined>;
  at: number;
}

/** In milliseconds, as between the looks of `mpidbg hang`. */
const minBetween = 1000;

/** How many sets of ranks have their looks kept: the focus, and what a client requests besides. */
const maxSets = 4;

/** The looks at one set of ranks: at the latest stop for which a verdict was requested, and at the one before. */
interface Seen {
  before?: LookAtStops;
  last: LookAtStops;
}

export class VerdictAtStops {
  /** One entry per set of ranks, the most recently requested set first. */
  private seen: readonly Seen[] = [];

  constructor(
    private readonly queries: JobQueries,
    private readonly mpis: KnownMpis,
  ) {}

  async of(ranks: readonly Rank[]): Promise<HangDocument> {
    const target = targetOf(ranks);
    const stops = new Map(ranks.map((rank) => [rank, rank.current?.stop]));
    const now = { look: await lookAt(this.queries, ranks, this.mpis), stops, at: performance.now() };
    const once = verdictOf({ target, looks: [now.look], seconds: 0 });
    const before = this.keep(now);
    if (once.document.verdict !== 'unknown' || before === undefined || !haveAllRun(before, now))
      return explained(once, { ranks, queries: this.queries });
    const seconds = Math.round((now.at - before.at) / 1000);
    const twice = verdictOf({ target, looks: [before.look, now.look], seconds });
    // That a rank has moved since some earlier stop does not show that it goes on now.
    return explained(twice.document.verdict === 'deadlock' ? twice : once, { ranks, queries: this.queries });
  }

  /** @returns the look at the previous stop; asking again at the same stop does not replace it */
  private keep(now: LookAtStops): LookAtStops | undefined {
    const seen = this.seen.find(({ last }) => isOfSameRanks(last, now));
    const kept: Seen =
      seen === undefined ? { last: now } : haveAllRun(seen.last, now) ? { before: seen.last, last: now } : seen;
    this.seen = [kept, ...this.seen.filter((each) => each !== seen)].slice(0, maxSets);
    return kept.before;
  }
}

function isOfSameRanks(one: LookAtStops, other: LookAtStops): boolean {
  return one.stops.size === other.stops.size && [...one.stops.keys()].every((rank) => other.stops.has(rank));
}

/** Each rank was let go in between two looks at the same ranks: whether it got a processor too, the looks tell. */
function haveAllRun(before: LookAtStops, now: LookAtStops): boolean {
  if (now.at - before.at < minBetween) return false;
  return [...now.stops].every(([rank, stop]) => stop !== undefined && stop !== before.stops.get(rank));
}
