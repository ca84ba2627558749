/** Answers of many ranks, merged where they are equal. */
import type { RankId } from '../../../plugin-api/mpi/records';
import { formatRankSet, rankSetOf } from '../../job/rank-set';

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

/** Quoted text is the program's, and stays as it is. */
const tokens = /"(?:[^"\\]|\\.)*"|(?<=\b(?:rank|from|to) )\d+|\b0x[0-9a-f]+/g;

/**
 * The same where only numbers of ranks and handles differ: each of them is the list of the ranks' own, in the order of
 * the ranks. Equal texts of one rank are texts of several objects, and stay several.
 */
export function mergeAlike(answers: readonly { rank: RankId; text: string }[]): MergedText[] {
  return groupAlike(answers).map((group) => {
    const own = group.map(({ text }) => text.match(tokens) ?? []);
    let position = 0;
    const text = group[0]!.text.replace(tokens, () => {
      const values = own.map((tokensOfRank) => tokensOfRank[position]!);
      position++;
      return listed(values);
    });
    return { ranks: describeRanks(group.map(({ rank }) => rank)), text };
  });
}

/** The answers that mergeAlike makes one of; at most one of each rank. */
export function groupAlike<T extends { rank: RankId; text: string }>(answers: readonly T[]): T[][] {
  const seen = new Map<RankId, Map<string, number>>();
  const groups = new Map<string, T[]>();
  for (const answer of answers) {
    const shape = answer.text.replace(tokens, (token) => (token.startsWith('"') ? token : '\0'));
    const ofRank = seen.get(answer.rank) ?? new Map<string, number>();
    seen.set(answer.rank, ofRank);
    ofRank.set(shape, (ofRank.get(shape) ?? 0) + 1);
    const key = `${ofRank.get(shape)} ${shape}`;
    groups.set(key, [...(groups.get(key) ?? []), answer]);
  }
  return [...groups.values()];
}

const mostListed = 4;

/** "3"; "0, 1, 2, 3"; "0, 1, 2, 3, …" */
function listed(values: readonly string[]): string {
  if (new Set(values).size === 1) return values[0]!;
  return [...values.slice(0, mostListed), ...(values.length > mostListed ? ['…'] : [])].join(', ');
}

/** A folder may hold thousands of files that are no core files. */
const mostFiles = 4;

/** "0-3,7"; processes whose rank is not known by pid or core, files beyond a few by their number alone. */
function describeRanks(ranks: readonly RankId[]): string {
  const numbers = ranks.flatMap((r) => (r.rank === null ? [] : [r.rank]));
  const others = ranks.flatMap((r) => (r.rank === null ? [r.core ?? `pid ${r.pid ?? '?'}`] : []));
  const more = others.length > mostFiles ? others.splice(mostFiles - 1) : [];
  const named = [...(numbers.length === 0 ? [] : [formatRankSet(rankSetOf(numbers))]), ...others].join(',');
  return more.length === 0 ? named : `${named} and ${more.length} more`;
}
