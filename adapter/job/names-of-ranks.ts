import { formatRanks } from '../../plugin-api/answers/rank-set';
import { namedRanks } from '../../plugin-api/mpi/rank-names';
import type { Rank } from './rank';

/** "ranks 4-7", or "process 4711, process 4712" where their numbers are not known. */
export function namesOf(ranks: readonly Rank[]): string {
  const isKnown = ranks.some(({ number }) => number !== null);
  return isKnown ? namedRanks(formatRanks(ranks)) : ranks.map(({ label }) => label).join(', ');
}
