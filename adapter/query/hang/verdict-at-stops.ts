/** The verdict on ranks that a user stops: one look each time, and with what the last one saw if they have run since. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import { verdictOf } from '../../../plugin-api/hang/verdict';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { Rank, ThreadStop } from '../../job/rank';
import { targetOf, type JobQueries } from '../job-queries';
import { lookAt } from './look';

interface LookAtStops {
  look: readonly ProcessState[];
  stops: ReadonlyMap<Rank, ThreadStop | undefined>;
  at: number;
}

/** In milliseconds, as between the looks of `mpidbg hang`. */
const minBetween = 1000;

export class VerdictAtStops {
  private last: LookAtStops | undefined;

  constructor(
    private readonly queries: JobQueries,
    private readonly mpis: KnownMpis,
  ) {}

  async of(ranks: readonly Rank[]): Promise<HangDocument> {
    const target = targetOf(ranks);
    const stops = new Map(ranks.map((rank) => [rank, rank.current?.stop]));
    const now = { look: await lookAt(this.queries, ranks, this.mpis), stops, at: performance.now() };
    const { last } = this;
    if (last === undefined || haveAllRun(last, now)) this.last = now;
    const { document } = verdictOf({ target, looks: [now.look], seconds: 0 });
    if (document.verdict !== 'unknown' || last === undefined || !haveAllRun(last, now)) return document;
    const seconds = Math.round((now.at - last.at) / 1000);
    const twice = verdictOf({ target, looks: [last.look, now.look], seconds }).document;
    // That a rank has moved since some earlier stop does not show that it goes on now.
    return twice.verdict === 'deadlock' ? twice : document;
  }
}

/** Each rank was let go in between: whether it got a processor too, the looks tell. */
function haveAllRun(before: LookAtStops, now: LookAtStops): boolean {
  if (before.stops.size !== now.stops.size || now.at - before.at < minBetween) return false;
  return [...now.stops].every(
    ([rank, stop]) => before.stops.has(rank) && stop !== undefined && stop !== before.stops.get(rank),
  );
}
