/** Values of MPI_T as the collector keeps them: 64 bits for each element, or a text. */
import type { Integer } from '../mpi/records';
import { QueryError } from '../result';

/** In the order of region.h. */
export const valueKinds = ['unknown', 'signed', 'unsigned', 'real', 'text'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** Throws QueryError for a kind without a number. */
export function elementOf(bits: DataView, kind: ValueKind): Integer {
  switch (kind) {
    case 'signed':
      return integer(bits.getBigInt64(0, true));
    case 'unsigned':
      return integer(bits.getBigUint64(0, true));
    case 'real': {
      const value = bits.getFloat64(0, true);
      return Number.isFinite(value) ? value : String(value);
    }
    default:
      throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'its datatype is not one that MPI_T may have');
  }
}

/** Nanoseconds of one clock. */
export function secondsSince(start: bigint, time: bigint): number {
  return Number(BigInt.asIntN(64, time - start)) / 1e9;
}

/** Beyond what a number holds exactly, decimal digits. */
export function integer(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
