/** MPI_Status: memory of the program, in the layout of MPICH's mpi.h, the same in every release. */
import type { ProcessImage } from '../../image';
import { integer } from '../../mpi/integer';
import type { StatusInfo } from '../../mpi/records';
import { integerConstant, integerConstants } from './constants';
import { hex } from './handles';

/** Bytes of the fields: { count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR }. */
const fields = { countLow: 0, countHigh: 4, source: 8, tag: 12, error: 16 };
export const statusSize = 20;

/** The lowest bit of the upper half says that the operation was cancelled. */
const cancelledBit = 1;
const lowerHalf = 32n;
/** An error code has its class in the low seven bits. */
const classMask = 0x7f;

/** Throws FaultError. */
export async function readStatus(image: ProcessImage, address: bigint): Promise<StatusInfo> {
  const bytes = await image.readMemory(address, statusSize);
  const view = new DataView(bytes.buffer, bytes.byteOffset, statusSize);
  const high = view.getUint32(fields.countHigh, true);
  const error = view.getInt32(fields.error, true);
  const errorName = errorClass(error);
  return {
    address: hex(address),
    source: sourceName(view.getInt32(fields.source, true)),
    tag: tagName(view.getInt32(fields.tag, true)),
    error,
    ...(errorName === undefined ? {} : { errorName }),
    bytes: integer(BigInt(view.getUint32(fields.countLow, true)) | (BigInt(high >>> 1) << lowerHalf)),
    cancelled: (high & cancelledBit) !== 0,
  };
}

/** A rank, or the constant that stands in a rank's place. */
export function sourceName(rank: number): StatusInfo['source'] {
  if (rank === integerConstant('MPI_ANY_SOURCE')) return 'MPI_ANY_SOURCE';
  return rank === integerConstant('MPI_PROC_NULL') ? 'MPI_PROC_NULL' : rank;
}

export function tagName(tag: number): StatusInfo['tag'] {
  return tag === integerConstant('MPI_ANY_TAG') ? 'MPI_ANY_TAG' : tag;
}

const classes = new Map(
  integerConstants
    .filter(([name]) => /^MPI_SUCCESS$|^MPI(X|_T)?_ERR_/.test(name))
    .map(([name, value]) => [value, name]),
);

/** The name of an error code's class. */
function errorClass(error: number): string | undefined {
  return error < 0 ? undefined : classes.get(error & classMask);
}
