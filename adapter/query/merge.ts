/** Answers of many ranks, merged where they are equal. */
import type { RankId } from '../../plugin-api/mpi/records';
import { formatRankSet, rankSetOf } from '../job/rank-set';

/** One text that these ranks have in common. */
export interface MergedText {
  /** "0-2,4"; for processes without a rank number "pid 4711". */
  ranks: string;
  text: string;
}

/** Who answers what: ranks with equal texts come together, in the order of their first rank. */
export function mergeEqual(answers: readonly { rank: RankId; text: string }[]): MergedText[] {
  const groups = new Map<string, RankId[]>();
  for (const { rank, text } of answers) {
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [rank]);
    else group.push(rank);
  }
  return [...groups].map(([text, ranks]) => ({ ranks: describeRanks(ranks), text }));
}

/** "0-3,7"; processes whose rank is not known by pid or core. */
function describeRanks(ranks: readonly RankId[]): string {
  const numbers = ranks.flatMap((r) => (r.rank === null ? [] : [r.rank]));
  const others = ranks.flatMap((r) => (r.rank === null ? [r.core ?? `pid ${r.pid ?? '?'}`] : []));
  return [...(numbers.length === 0 ? [] : [formatRankSet(rankSetOf(numbers))]), ...others].join(',');
}
