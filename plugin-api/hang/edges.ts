/** The neighbors of a process in a topology: from whom it takes a block in a neighborhood operation, and to whom it gives one. */
import type { CommInfo } from '../mpi/records';
import { isUnavailable } from '../result';

/** Processes, in the order of the blocks; undefined: MPI_PROC_NULL, or not in the job. */
export interface Edges {
  sources: readonly (number | undefined)[];
  destinations: readonly (number | undefined)[];
}

/** Ranks of the communicator, as in Edges; undefined: it has no topology, or it is not known. */
export function neighborRanks({
  cart,
  graph,
  distGraph,
  rank,
}: CommInfo): { sources: readonly (number | undefined)[]; destinations: readonly (number | undefined)[] } | undefined {
  if (distGraph !== undefined && !isUnavailable(distGraph))
    return { sources: distGraph.sources, destinations: distGraph.destinations };
  if (isUnavailable(rank)) return undefined;
  const neighbors =
    graph !== undefined && !isUnavailable(graph)
      ? graph.edges.slice(rank === 0 ? 0 : graph.index[rank - 1], graph.index[rank])
      : cart !== undefined && !isUnavailable(cart)
        ? cart.dims.flatMap((_, dimension) => [-1, 1].map((step) => shifted(cart, dimension, step)))
        : undefined;
  return neighbors && { sources: neighbors, destinations: neighbors };
}

export function edgesOf(info: CommInfo, members: readonly (number | undefined)[]): Edges | undefined {
  const ranks = neighborRanks(info);
  const processOf = (rank: number | undefined): number | undefined => (rank === undefined ? undefined : members[rank]);
  return ranks && { sources: ranks.sources.map(processOf), destinations: ranks.destinations.map(processOf) };
}

interface Cart {
  dims: readonly number[];
  periods: readonly boolean[];
  coords: readonly number[];
}

/** As MPI_Cart_shift: the last dimension varies fastest. */
function shifted({ dims, periods, coords }: Cart, dimension: number, step: number): number | undefined {
  const moved = coords[dimension]! + step;
  const length = dims[dimension]!;
  const isOutside = moved < 0 || moved >= length;
  if (isOutside && !periods[dimension]!) return undefined;
  const at = coords.map((coordinate, each) => (each === dimension ? (moved + length) % length : coordinate));
  return at.reduce((rank, coordinate, each) => rank * dims[each]! + coordinate, 0);
}
