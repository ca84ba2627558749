/** Rank sets: the text "0-3,7" that users type and read. */

/** Text that is not a rank set, or a rank that the job lacks: a user error, in one sentence. */
export class RankSetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RankSetError';
  }
}

/** Ascending, disjoint, not adjacent: [[0, 3], [7, 7]] is "0-3,7". Both ends included. */
export type RankSet = readonly (readonly [first: number, last: number])[];

/** "0-3,7" → [[0, 3], [7, 7]]. Order, overlaps and spaces around numbers do not matter. Throws RankSetError. */
export function parseRankSet(text: string): RankSet {
  const ranges = text.split(',').map((part): [number, number] => {
    const match = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(part);
    if (match === null) {
      throw new RankSetError(`"${text}" is not a rank set: write ranks and ranges with commas, like 0-3,7`);
    }
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (last < first) {
      throw new RankSetError(`"${text}" is not a rank set: the range ${first}-${last} runs backwards`);
    }
    return [first, last];
  });
  return joined(ranges);
}

/** [0, 1, 2, 3, 7] → [[0, 3], [7, 7]]. */
export function rankSetOf(ranks: Iterable<number>): RankSet {
  return joined([...ranks].map((rank) => [rank, rank]));
}

/** [[0, 3], [7, 7]] → "0-3,7". The empty set is "". */
export function formatRankSet(set: RankSet): string {
  return set.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** "rank 3", "ranks 0-3,7". */
export function rankSetInWords(set: RankSet): string {
  const text = formatRankSet(set);
  return `${/^\d+$/.test(text) ? 'rank' : 'ranks'} ${text}`;
}

/** The ranks whose numbers are known. */
export function knownRankSet(ranks: readonly { readonly number: number | null }[]): RankSet {
  return rankSetOf(ranks.flatMap(({ number }) => number ?? []));
}

/** Of what ranks are told by: not "pid 4711" or a core file. */
export function isRankSet(text: string): boolean {
  return /^\d[\d,-]*$/.test(text);
}

export function rankSetHas(set: RankSet, rank: number): boolean {
  return set.some(([first, last]) => first <= rank && rank <= last);
}

/** The first rank of `set` that `present` lacks; undefined when it has them all. */
export function firstMissing(set: RankSet, present: RankSet): number | undefined {
  for (const [first, last] of set) {
    const around = present.find(([low, high]) => low <= first && first <= high);
    if (around === undefined) return first;
    if (around[1] < last) return around[1] + 1;
  }
  return undefined;
}

function joined(ranges: readonly (readonly [number, number])[]): RankSet {
  const result: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = result.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      result.push([first, last]);
    }
  }
  return result;
}
