/** Which ranks a verdict names as those whose code has to be looked at. */
import type { RankId } from '../mpi/records';
import type { HangDocument } from './hang-records';

export function isCulpritOf({
  culprits,
  culpritRanks,
}: Pick<HangDocument, 'culprits' | 'culpritRanks'>): (id: Pick<RankId, 'rank' | 'world'>) => boolean {
  if (culpritRanks === undefined) return ({ rank }) => rank !== null && culprits.includes(rank);
  return ({ rank, world }) => culpritRanks.some((each) => each.rank === rank && each.world === world);
}
