/** What the OpenMP runtime has told the collector of the threads of a stopped rank. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { OmptThread } from '../../../plugin-api/overlays/ompt-records';
import { openMpRegion, readOmptThreads } from '../../../plugin-api/overlays/ompt-threads';
import type { Integer } from '../../../plugin-api/mpi/records';
import { guard } from '../../../plugin-api/result';
import { listThreads } from '../../gdb/mi/thread-commands';
import type { Rank, RankThread } from '../../job/rank';

/** Empty where OpenMP is not collected. `modules`: of its process. Rejects with GdbError. */
export async function openMpThreads(
  rank: Rank,
  modules: readonly { path: string }[],
  image: () => ProcessImage,
): Promise<ReadonlyMap<RankThread, OmptThread>> {
  const read = await guard(async () => {
    const region = await openMpRegion(image, modules);
    return region === undefined ? [] : readOmptThreads(region, []);
  });
  if (!read.ok || read.value.length === 0) return new Map();
  const told = new Map(read.value.map((thread) => [thread.thread, thread]));
  const listing = await listThreads(rank.gdb);
  return new Map(
    rank.threads.flatMap((thread): [RankThread, OmptThread][] => {
      const found = told.get(listing.get(thread.gdbThread)?.tid ?? 0);
      return found === undefined ? [] : [[thread, found]];
    }),
  );
}

/** The masters of threads that are in a team with another master. Both by their places in `threads`. */
export function mastersOf(
  threads: readonly RankThread[],
  told: ReadonlyMap<RankThread, OmptThread>,
): ReadonlyMap<number, number> {
  const masters = new Map<Integer, number>();
  const teams = threads.map((thread) => told.get(thread)?.parallel);
  teams.forEach((team, i) => {
    if (team?.index === 0) masters.set(team.id, i);
  });
  return new Map(
    teams.flatMap((team, i): [number, number][] => {
      const master = team === undefined || team.index === 0 ? undefined : masters.get(team.id);
      return master === undefined ? [] : [[i, master]];
    }),
  );
}
