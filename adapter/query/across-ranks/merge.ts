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
const tokens = /"(?:[^"\\]|\\.)*"|(?<=\b(?:rank|from|to|source) )\d+|\b0x[0-9a-f]+/g;

/** How addresses that differ are written: those of the first ranks, or not at all. */
export type Addresses = 'listed' | 'hidden';

/**
 * The same where only numbers of ranks that differ by nature (each rank has another) and addresses differ: each of
 * them is the list of the ranks' own, in the order of the ranks. Equal texts of one rank are texts of several objects,
 * and stay several.
 */
export function mergeAlike(
  answers: readonly { rank: RankId; text: string }[],
  addresses: Addresses = 'listed',
): MergedText[] {
  return groupAlike(answers).map((group) => {
    let position = 0;
    const own = group.map(({ text }) => text.match(tokens) ?? []);
    const text = group[0]!.text.replace(tokens, () => {
      const values = own.map((tokensOfRank) => tokensOfRank[position]!);
      position++;
      return listed(values, addresses);
    });
    return { ranks: describeRanks(group.map(({ rank }) => rank)), text };
  });
}

/** Each number is the same in all ranks, or another in each. */
function differsByNature(group: readonly { text: string }[]): boolean {
  const own = group.map(({ text }) => text.match(tokens) ?? []);
  return (own[0] ?? []).every((first, position) => {
    if (first.startsWith('0x')) return true;
    const different = new Set(own.map((tokensOfRank) => tokensOfRank[position])).size;
    return different === 1 || different === group.length;
  });
}

/** Groups with equal numbers, whatever their addresses. */
function equalNumbers<T extends { text: string }>(group: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const each of group) {
    const key = each.text.replace(tokens, (token) => (token.startsWith('0x') ? '\0' : token));
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
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
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [answer]);
    else group.push(answer);
  }
  return [...groups.values()].flatMap((group) => (differsByNature(group) ? [group] : equalNumbers(group)));
}

const maxListed = 4;

/** "3"; "0-3", "3, 0-2" for numbers that follow each other; "0xa, 0xb, 0xc, 0xd, …" */
function listed(values: readonly string[], addresses: Addresses): string {
  const [first = ''] = values;
  if (new Set(values).size === 1) return first;
  if (first.startsWith('0x') && addresses === 'hidden') return '0x…';
  const parts = first.startsWith('0x') ? values : runs(values.map(Number));
  return [...parts.slice(0, maxListed), ...(parts.length > maxListed ? ['…'] : [])].join(', ');
}

/** Three numbers or more that follow each other are one part: "0-2". */
function runs(values: readonly number[]): string[] {
  const parts: string[] = [];
  for (let start = 0, end = 0; start < values.length; start = end) {
    for (end = start + 1; end < values.length && values[end] === values[end - 1]! + 1; end++);
    const run = values.slice(start, end);
    parts.push(...(run.length > 2 ? [`${run[0]}-${run.at(-1)}`] : run.map(String)));
  }
  return parts;
}

/** A folder may hold thousands of files that are no core files. */
const maxFiles = 4;

/** "0-3,7"; processes whose rank is not known by pid or core, files beyond a few by their number alone. */
function describeRanks(ranks: readonly RankId[]): string {
  const numbers = ranks.flatMap((r) => (r.rank === null ? [] : [r.rank]));
  const others = ranks.flatMap((r) => (r.rank === null ? [r.core ?? `pid ${r.pid ?? '?'}`] : []));
  const more = others.length > maxFiles ? others.splice(maxFiles - 1) : [];
  const named = [...(numbers.length === 0 ? [] : [formatRankSet(rankSetOf(numbers))]), ...others].join(',');
  return more.length === 0 ? named : `${named} and ${more.length} more`;
}
