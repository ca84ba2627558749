/** The ranks in a text that names them, as the adapter writes it: "0-3,7", "0-3,0.1:0-1". */
import type { RankId } from '../../plugin-api/mpi/records';
import { inWorld, ownWorld } from '../../plugin-api/mpi/worlds';

/** Of the launcher's own world. */
export function numbersOf(set: string): number[] {
  return ranksIn(set).flatMap(({ rank, world = ownWorld }) => (world === ownWorld ? [rank] : []));
}

/** As nameInSet makes them: "0", "1", "0.1:0". */
export function namesIn(set: string): string[] {
  return ranksIn(set).map(({ rank, world }) => inWorld(world, String(rank)));
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
export function nameInSet({ rank, world }: Pick<RankId, 'rank' | 'world'>): string | undefined {
  return rank === null ? undefined : inWorld(world, String(rank));
}

/** Of what ranks are told by: not "pid 4711" or a core file. */
export function isRankText(text: string): boolean {
  return /^[\d.:,-]+$/.test(text) && namesIn(text).length > 0;
}
