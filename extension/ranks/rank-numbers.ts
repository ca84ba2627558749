/** The ranks in a text that names them, as the adapter writes it: "0-3,7", "0-3,0.1:0-1". */
import type { RankId } from '../../plugin-api/mpi/records';
import { compareWorlds, inWorld, ownWorld } from '../../plugin-api/mpi/worlds';

/** A rank's number is taken once in each world, its name once in the job: "0", "1", "0.1:0". */
export type RankName = string;

export function namesIn(set: string): RankName[] {
  return ranksIn(set).map(({ rank, world }) => inWorld(world, String(rank)));
}

/** By their worlds, then by their numbers. */
export function compareNames(a: RankName, b: RankName): number {
  const [[first], [second]] = [ranksIn(a), ranksIn(b)];
  const [ofFirst, ofSecond] = [first?.world ?? ownWorld, second?.world ?? ownWorld];
  return compareWorlds(ofFirst, ofSecond) || (first?.rank ?? 0) - (second?.rank ?? 0);
}

/** `world`: of others than the launcher's own. */
export function ranksIn(set: string): { rank: number; world?: string }[] {
  let world: string | undefined;
  return set.split(',').flatMap((part) => {
    const [, named, first, last] = /^(?:([\d.]+):)?(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    world = named ?? world;
    if (first === undefined) return [];
    const count = Number(last ?? first) - Number(first) + 1;
    const of = world === undefined ? {} : { world };
    return Array.from({ length: count }, (_, i) => ({ rank: Number(first) + i, ...of }));
  });
}

/** undefined: its number is not known. */
export function nameInSet({ rank, world }: Pick<RankId, 'rank' | 'world'>): RankName | undefined {
  return rank === null ? undefined : inWorld(world, String(rank));
}

/** True for what ranks are told by: not "pid 4711" or a core file. */
export function isRankText(text: string): boolean {
  return /^[\d.:,-]+$/.test(text) && namesIn(text).length > 0;
}
