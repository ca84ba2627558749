/** Answers of many ranks, merged where they are equal. */
import { groupedBy } from '../grouped-by';
import type { RankId } from '../mpi/records';
import { namesOfRanks } from '../mpi/rank-names';
import { formatRankSet, rankSetOf } from './rank-set';

/** One text that these ranks have in common. */
export interface MergedText {
  /** "0-2,4"; for processes without a rank number "pid 4711". */
  ranks: string;
  text: string;
}

/** Who answers what: ranks of one world with equal texts come together, in the order of their first rank. */
export function mergeEqual(answers: readonly { rank: RankId; text: string }[]): MergedText[] {
  const groups = groupedBy(answers, ({ rank: { world }, text }) => JSON.stringify([world, text]));
  return [...groups.values()].map((of) => ({ ranks: describeRanks(of.map(({ rank }) => rank)), text: of[0]!.text }));
}

/** Quoted text is the program's, and stays as it is; so does a pointer to nothing. */
const tokens = /"(?:[^"\\]|\\.)*"|(?<=\b(?:rank|from|to|source) )\d+|(?<!nan\()\b0x(?!0+\b)[0-9a-f]+/g;

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

/** Groups of ranks with equal numbers are told apart while they are so few. */
const maxGroups = 4;

/** By their numbers, whatever their addresses. */
function byNumbers<T extends { text: string }>(group: readonly T[]): (readonly T[])[] {
  const groups = groupedBy(group, ({ text }) =>
    text.replace(tokens, (token) => (token.startsWith('0x') ? '\0' : token)),
  );
  return groups.size > maxGroups ? [group] : [...groups.values()];
}

/** The answers that mergeAlike makes one of; at most one of each rank. */
export function groupAlike<T extends { rank: RankId; text: string }>(answers: readonly T[]): (readonly T[])[] {
  const seen = new Map<RankId, Map<string, number>>();
  const groups = groupedBy(answers, (answer) => {
    const shape = answer.text.replace(tokens, (token) => (token.startsWith('"') ? token : '\0'));
    const ofRank = seen.get(answer.rank) ?? new Map<string, number>();
    seen.set(answer.rank, ofRank);
    ofRank.set(shape, (ofRank.get(shape) ?? 0) + 1);
    return `${answer.rank.world} ${ofRank.get(shape)} ${shape}`;
  });
  return [...groups.values()].flatMap((group) => (differsByNature(group) ? [group] : byNumbers(group)));
}

const maxListed = 4;

/**
 * "3"; "0-3" for numbers that follow each other as the ranks do, "(3,0-2)" for several such parts; of many parts
 * "(0-63 in another order)", or the first two and the last; "0xa, 0xb, 0xc, 0xd, …".
 */
function listed(values: readonly string[], addresses: Addresses): string {
  const [first = ''] = values;
  const different = [...new Set(values)];
  if (different.length === 1) return first;
  if (first.startsWith('0x'))
    return addresses === 'hidden'
      ? '0x…'
      : [...values.slice(0, maxListed), ...(values.length > maxListed ? ['…'] : [])].join(', ');
  const numbers = different.map(Number);
  const parts = runs(numbers);
  if (parts.length === 1) return parts[0]!;
  if (parts.length <= maxListed) return `(${parts.join(',')})`;
  const all = rankSetOf(numbers);
  if (all.length === 1) return `(${formatRankSet(all)} in another order)`;
  return `(${[...parts.slice(0, 2), '…', parts.at(-1)].join(',')})`;
}

/** Three numbers or more that follow each other are one part, "0-2", and two where they are all. */
function runs(values: readonly number[]): string[] {
  const parts: string[] = [];
  for (let start = 0, end = 0; start < values.length; start = end) {
    for (end = start + 1; end < values.length && values[end] === values[end - 1]! + 1; end++);
    const run = values.slice(start, end);
    parts.push(...(run.length > 2 || run.length === values.length ? [`${run[0]}-${run.at(-1)}`] : run.map(String)));
  }
  return parts;
}

/** A folder may hold thousands of files that are no core files. */
const maxFiles = 4;

/** "0-3,7"; processes whose rank is not known by pid or core, files beyond a few by their number alone. */
export function describeRanks(ranks: readonly RankId[]): string {
  const { set, others } = namesOfRanks(ranks);
  const more = others.length > maxFiles ? others.splice(maxFiles - 1) : [];
  const named = [...set, ...others].join(',');
  return more.length === 0 ? named : `${named} and ${more.length} more`;
}
