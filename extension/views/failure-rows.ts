/** The ranks that could not be asked: a row for each reason, not for each rank. */
import { visible } from '../../plugin-api/visible-text';
import { groupedBy } from '../../plugin-api/grouped-by';
import { formatRankSet, rankSetOf } from '../../adapter/job/rank-set';
import type { RankError } from '../../plugin-api/mpi/records';
import { nameOfId, wordsOfRanks } from '../ranks/rank-text';
import type { Row } from './row';

export function failureRows(ranks: readonly (object | RankError)[]): Row[] {
  const failed = ranks.filter((rank): rank is RankError => 'error' in rank);
  const groups = groupedBy(failed, ({ error }) => error.reason.replace(/^rank \d+ is /, ''));
  return [...groups].map(([reason, group], index) => {
    const known = group.flatMap(({ rank }) => (rank === null ? [] : [rank]));
    const label =
      known.length < group.length ? group.map(nameOfId).join(', ') : wordsOfRanks(formatRankSet(rankSetOf(known)));
    return { id: `failure ${index}`, label, description: reason, tooltip: visible(reason) };
  });
}
