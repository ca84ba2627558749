/** How answers name the ranks that they are of, and those that cannot answer. */
import type { Document, RankId } from '../../plugin-api/mpi/records';
import { ownWorld } from '../../plugin-api/mpi/worlds';
import type { AbsentRank, Job } from '../job/job';
import type { Rank } from '../job/rank';

/** One sentence, without its subject where the process has ended. */
export function whyAbsent({ refused }: AbsentRank): string {
  return refused ?? 'it has ended, and its parent has not waited for it: nothing of its memory is left';
}

export function absentId({ number, world, host, pid }: AbsentRank): RankId {
  return { rank: number, ...(world === undefined ? {} : { world }), host, pid };
}

/** Says which MPI_COMM_WORLD, where the job has several. */
export function idInJob(job: Pick<Job, 'ranks'>, rank: Rank): RankId {
  const isOneOfSeveral = rank.hasOtherWorlds || new Set(job.ranks.map(({ world }) => world ?? ownWorld)).size > 1;
  return isOneOfSeveral ? { ...rankId(rank), world: worldOf(rank) } : rankId(rank);
}

function worldOf({ world, hasOtherWorlds }: Rank): string {
  return world ?? (hasOtherWorlds ? 'unknown' : ownWorld);
}

/** A rank as documents name it. */
export function rankId(rank: Rank): RankId {
  return {
    rank: rank.number,
    ...(rank.hasOtherWorlds ? { world: worldOf(rank) } : {}),
    ...(rank.host === '' ? {} : { host: rank.host }),
    ...(rank.pid === undefined ? {} : { pid: rank.pid }),
    ...(rank.core === undefined ? {} : { core: rank.core }),
  };
}

/** The target that a document names. */
export function targetOf(ranks: readonly Rank[]): Document['target'] {
  return ranks.some((rank) => rank.state === 'core') ? 'core' : 'live';
}
