/** Rank sets: the text "0-3,7" that users type and read. */
import { namesOfRanks } from '../mpi/rank-names';
import { compareWorlds, ownWorld } from '../mpi/worlds';

/** Text that is not a rank set, or a rank that the job lacks: a user error, in one sentence. */
export class RankSetError extends Error {
  constructor(
    message: string,
    /** What does not fit. */
    readonly subject: 'ranks' | 'world' = 'ranks',
  ) {
    super(message);
    this.name = 'RankSetError';
  }
}

/** Ranks of one MPI_COMM_WORLD; `world`: see worlds.ts, by default the launcher's own, or the first of those that there are. */
export interface RanksOfWorld {
  ranks: RankSet;
  world?: string | undefined;
}

/** `world`: where all ranks are of it, and where `ranks` names none. By default all ranks of all worlds. */
export interface RankChoice {
  ranks?: readonly RanksOfWorld[] | undefined;
  world?: string | undefined;
}

/** Where it is one of several: a rank is (world, number). */
interface PlacedRank {
  readonly number: number | null;
  readonly world?: string | undefined;
}

/** Those of the choice. `absent`: says that a rank is not there. Throws RankSetError for ranks and worlds that are not there. */
export function chosenRanks<T extends PlacedRank>(
  all: readonly T[],
  { ranks, world }: RankChoice,
  absent: (rank: number, present: RankSet, world: string) => string,
): readonly T[] {
  if (ranks === undefined && world === undefined) return all;
  const worlds = worldsOf(all);
  const inWorld = (asked: string): T[] => {
    if (!worlds.includes(asked) && worlds.length > 0)
      throw new RankSetError(`world ${asked} is not in this job, which has ${worlds.join(', ')}`, 'world');
    return all.filter((each) => (each.world ?? ownWorld) === asked);
  };
  if (ranks === undefined) return inWorld(world!);
  const ofEach = ranks.flatMap((of) => {
    const asked = of.world ?? world ?? firstWorld(all);
    const there = inWorld(asked);
    const present = knownRankSet(there);
    const missing = firstMissing(of.ranks, present);
    if (missing !== undefined) throw new RankSetError(absent(missing, present, asked));
    return there.filter(({ number }) => number !== null && rankSetHas(of.ranks, number));
  });
  const chosen = new Set(ofEach);
  return all.filter((each) => chosen.has(each));
}

/** The worlds of these ranks, the launcher's own first. */
export function worldsOf(all: readonly PlacedRank[]): string[] {
  return [...new Set(all.map(({ world = ownWorld }) => world))].sort(compareWorlds);
}

/** The world that is meant where none is named: the launcher's own, or the first of those that there are. */
export function firstWorld(all: readonly PlacedRank[]): string {
  return worldsOf(all)[0] ?? ownWorld;
}

/** `first`: see firstWorld. */
export function hasRank(
  set: readonly RanksOfWorld[],
  { number, world = ownWorld }: PlacedRank,
  first: string,
): boolean {
  return number !== null && set.some((of) => (of.world ?? first) === world && rankSetHas(of.ranks, number));
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

/**
 * "0-3,0.1:0-1" → ranks 0 to 3 of the launcher's own world, 0 and 1 of another: a world is named in front of the first of its ranks.
 * Throws RankSetError.
 */
export function parseRanks(text: string): RanksOfWorld[] {
  const byWorld = new Map<string | undefined, string[]>();
  let world: string | undefined;
  for (const part of text.split(',')) {
    const [, named, ranks = part] = /^\s*(\d+(?:\.\d+)*):(.*)$/s.exec(part) ?? [];
    world = named ?? world;
    byWorld.set(world, [...(byWorld.get(world) ?? []), ranks]);
  }
  return [...byWorld].map(([name, parts]) => ({ ranks: parseRankSet(parts.join()), world: name }));
}

/** What parseRanks reads. */
export function formatRanksOfWorlds(set: readonly RanksOfWorld[]): string {
  return set.map(({ ranks, world }) => `${world === undefined ? '' : `${world}:`}${formatRankSet(ranks)}`).join();
}

/** What parseRanks reads: "0-3,0.1:0-1", of the ranks whose numbers are known. */
export function formatRanks(
  ranks: readonly { readonly number: number | null; readonly world?: string | undefined }[],
): string {
  return namesOfRanks(ranks.map(({ number, world = ownWorld }) => ({ rank: number, world }))).set.join();
}

/** [0, 1, 2, 3, 7] → [[0, 3], [7, 7]]. */
export function rankSetOf(ranks: Iterable<number>): RankSet {
  return joined([...ranks].map((rank) => [rank, rank]));
}

/** [[0, 3], [7, 7]] → "0-3,7". The empty set is "". */
export function formatRankSet(set: RankSet): string {
  return set.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** The ranks whose numbers are known. */
function knownRankSet(ranks: readonly { readonly number: number | null }[]): RankSet {
  return rankSetOf(ranks.flatMap(({ number }) => number ?? []));
}

/** True for a set of rank numbers: not for "pid 4711" or a core file. */
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
