/** The ranks that could not be asked: a row for each reason, not for each rank. */
import { visible } from '../../plugin-api/visible-text';
import { groupedBy } from '../../plugin-api/grouped-by';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import type { RankError } from '../../plugin-api/mpi/records';
import { nameOfId, wordsOfRanks } from '../ranks/rank-text';
import type { Row } from './row';

export function failureRows(ranks: readonly (object | RankError)[]): Row[] {
  const failed = ranks.filter((rank): rank is RankError => 'error' in rank);
  const groups = groupedBy(failed, ({ error }) => error.reason.replace(/^rank \d+( of world [\d.]+)? is /, ''));
  return [...groups].map(([reason, group], index) => {
    const label = group.some(({ rank }) => rank === null)
      ? group.map(nameOfId).join(', ')
      : wordsOfRanks(namesOfRanks(group).set.join());
    return { id: `failure ${index}`, label, description: reason, tooltip: visible(reason) };
  });
}
