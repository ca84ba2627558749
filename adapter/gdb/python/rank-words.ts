/** `$rank`, and `$rank in` a set of ranks, in conditions and log messages. */

/** Ranks of one world, both ends included. */
export interface RangesOfWorld {
  readonly world: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** `$rank`, and `$rank in 0-3,0.1:7`, for gdb; `read` reads the set. Text without them comes back as it is. */
export function withRank(condition: string, read: (set: string) => readonly RangesOfWorld[]): string {
  return replaceRank(condition, '$_mpidbg_rank()', (set) => {
    const numbers = read(set).flatMap(({ world, ranges }) => {
      const parts = partsOfWorld(world);
      return ranges.map((ends) => [parts.length, ...parts, ...ends].join());
    });
    return `$_mpidbg_rank_in(${numbers.join()})`;
  });
}

/** Whether it asks for a number that ranks of several worlds may have. */
export function asksForNumber(condition: string): boolean {
  return /\$rank\b/.test(condition.replace(rankInSet, ''));
}

/** The expression in one rank, where `$rank` and sets of ranks are numbers: 1 when `isIn` says that the rank is in the set, else 0. */
export function inOneRank(expression: string, rank: number, isIn: (set: string) => boolean): string {
  return replaceRank(expression, `${rank}`, (set) => (isIn(set) ? '1' : '0'));
}

/** Worlds are named in front of their ranks: 0-3,0.1:0-1. */
const rankInSet = /\$rank\s+in\s+((?:\d+(?:\.\d+)*:)?\d+(?:\s*-\s*\d+|\s*,\s*(?:\d+(?:\.\d+)*:)?\d+)*)/g;

function replaceRank(text: string, rank: string, rankIn: (set: string) => string): string {
  return text.replace(rankInSet, (_, set: string) => rankIn(set)).replace(/\$rank\b/g, () => rank);
}

/** gdb's functions get numbers: it would place a text in the process. */
export function partsOfWorld(world: string): readonly number[] {
  return world.split('.').map(Number);
}
