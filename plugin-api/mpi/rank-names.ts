/** How ranks are named: every text that names them is made here, so that their world is named where a job has several. */
import { groupedBy } from '../grouped-by';
import type { RankId } from './records';
import { compareWorlds, inWorld } from './worlds';

type NamedRank = Pick<RankId, 'rank' | 'pid' | 'core'> & { world?: string | undefined };

/** "0-3,7" */
export function numbersText(numbers: Iterable<number>): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    for (end = start + 1; end < sorted.length && sorted[end] === sorted[end - 1]! + 1; end++);
    parts.push(end - start === 1 ? String(sorted[start]) : `${sorted[start]}-${sorted[end - 1]}`);
  }
  return parts.join();
}

/**
 * `set`: "0-3,7", and of other worlds than the launcher's own "0.1:0-3", where numbers are known; `others`: each process whose rank
 * is not known, by its core or pid.
 */
export function namesOfRanks(ranks: readonly NamedRank[]): { set: string[]; others: string[] } {
  const known = ranks.flatMap(({ rank, world }) => (rank === null ? [] : [{ rank, world }]));
  const set = [...groupedBy(known, ({ world }) => world)]
    .sort(([a], [b]) => compareWorlds(a, b))
    .map(([world, of]) => inWorld(world, numbersText(of.map(({ rank }) => rank))));
  const others = ranks.filter(({ rank }) => rank === null).map(({ core, pid }) => core ?? `pid ${pid ?? '?'}`);
  return { set, others: [...new Set(others)] };
}

/** Nobody reads more parts of a set of ranks. */
const mostParts = 32;

/** "rank 3", "ranks 0-2,0.1:0", "pid 4711", "ranks 0-2,pid 4711"; of very many that do not follow each other "5000 ranks (0,2,4,… 9998)". */
export function ranksInWords(ranks: readonly NamedRank[]): string {
  const { set, others } = namesOfRanks(ranks);
  const text = [...set, ...others].join();
  const parts = text.split(',');
  if (parts.length <= mostParts || set.length > 1 || others.length > 0) return namedRanks(text);
  return `${countRanks(text)} ranks (${parts.slice(0, 3).join()},… ${parts.at(-1)!})`;
}

/** The same of a text that names them: "0-2,0.1:0". */
export function namedRanks(text: string): string {
  if (!/^([\d.]+:)?\d+(-\d+)?(,|$)/.test(text)) return text;
  return `${isOneRank(text) ? 'rank' : 'ranks'} ${text}`;
}

/** True for a text that names one rank: "3", "0.1:3", "pid 4711" */
export function isOneRank(text: string): boolean {
  return /^(([\d.]+:)?\d+|pid \d+)$/.test(text);
}

/** How many processes a text like "0-3,0.1:0,pid 4711" names. */
export function countRanks(ranks: string): number {
  return ranks.split(',').reduce((count, part) => {
    const [, first, last] = /^(?:[\d.]+:)?(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    return count + (first === undefined || last === undefined ? 1 : Number(last) - Number(first) + 1);
  }, 0);
}

/** "the next higher rank", "the rank 4 lower", "the same rank" */
export function rankAtDistance(distance: number): string {
  if (distance === 0) return 'the same rank';
  const way = distance > 0 ? 'higher' : 'lower';
  return Math.abs(distance) === 1 ? `the next ${way} rank` : `the rank ${Math.abs(distance)} ${way}`;
}
