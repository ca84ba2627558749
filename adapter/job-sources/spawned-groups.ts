/**
 * The worlds of processes that are spawned under a launcher which names them nowhere before MPI_Init. It starts the ranks of one
 * world in their order, one world after the other; they come here in about that order.
 */
import type { ToldPlace } from '../launchers/rank-places';

interface Group {
  key: string;
  size: number | undefined;
  pids: Map<number, number>;
}

export class SpawnedGroups {
  private readonly groups: Group[] = [];

  /** undefined: it could be of several. */
  keyOf({ number, worldSize, pid }: Pick<ToldPlace, 'number' | 'worldSize' | 'pid'>): string | undefined {
    if (number === null) return undefined;
    const open = this.groups.filter(
      ({ size, pids }) => size === worldSize && !pids.has(number) && pids.size < (size ?? 0),
    );
    const [group = this.begin(worldSize), ...others] = open;
    const isInOrder = [...group.pids].every(([rank, other]) => rank < number === other < pid);
    if (others.length > 0 || !isInOrder) return undefined;
    group.pids.set(number, pid);
    return group.key;
  }

  private begin(size: number | undefined): Group {
    const group = { key: `spawned ${this.groups.length + 1}`, size, pids: new Map<number, number>() };
    this.groups.push(group);
    return group;
  }
}
