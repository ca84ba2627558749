/** The ranks in MPI_COMM_WORLD that a communicator, or a row or column of its grid, is made of. */
import type { CommInfo } from '../../../plugin-api/mpi/records';

/** The communicator cannot give such a set of ranks; the message says why. */
export class NoRankSetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoRankSetError';
  }
}

/**
 * `dimension`: of a cartesian communicator, only those that differ from this process in that coordinate at most: 1 of a
 * grid of two dimensions is its row, 0 its column. Throws NoRankSetError.
 */
export function commRanks({ localProcs, cart, rank, ...info }: CommInfo, dimension?: number): number[] {
  const name = typeof info.name === 'string' && info.name !== '' ? info.name : 'it';
  if (localProcs === undefined) throw new NoRankSetError(`${name} is a null handle`);
  if (!Array.isArray(localProcs)) throw new NoRankSetError(localProcs.reason);
  const among = dimension === undefined ? localProcs : line(dimension);
  return among.flatMap((worldRank) => worldRank ?? []);

  function line(along: number): (number | null)[] {
    if (!Array.isArray(localProcs)) return [];
    if (cart === undefined) throw new NoRankSetError(`${name} has no cartesian topology`);
    if ('code' in cart) throw new NoRankSetError(cart.reason);
    if (typeof rank !== 'number') throw new NoRankSetError(rank.reason);
    const { dims } = cart;
    const length = dims[along];
    if (length === undefined) {
      throw new NoRankSetError(`there is no dimension ${along}: the grid has ${dims.length}, counted from 0`);
    }
    // Ranks are numbered along the last dimension first.
    const stride = dims.slice(along + 1).reduce((product, size) => product * size, 1);
    const first = rank - (Math.floor(rank / stride) % length) * stride;
    return Array.from({ length }, (_, i) => localProcs[first + i * stride] ?? null);
  }
}
