/** MPI_Status: memory of the program, in the layout of MPICH's mpi.h, the same in every release, or of the standard's. */
import { integer } from '../../mpi/integer';
import type { StatusInfo } from '../../mpi/records';
import { unavailable } from '../../result';
import { integersOf } from './constants';
import { hex, type Decoder } from './handles';
import type { Library } from './library';

/** Bytes of the fields: { count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR }. */
const ownLayout = { countLow: 0, countHigh: 4, source: 8, tag: 12, error: 16, size: 20 };
/** The standard's begins with MPI_SOURCE, MPI_TAG, MPI_ERROR, and has five integers of the library's behind them. */
const standardLayout = { countLow: 12, countHigh: 16, source: 0, tag: 4, error: 8, size: 32 };

function layoutOf({ isStandardAbi }: Pick<Library, 'isStandardAbi'>): typeof ownLayout {
  return isStandardAbi ? standardLayout : ownLayout;
}

export function statusSize(library: Library): number {
  return layoutOf(library).size;
}

/** The lowest bit of the upper half says that the operation was cancelled. */
const cancelledBit = 1;
const lowerHalf = 32n;
/** An error code has its class in the low seven bits. */
const classMask = 0x7f;

/** Throws FaultError. */
export async function readStatus(
  { image, library }: Pick<Decoder, 'image' | 'library'>,
  address: bigint,
): Promise<StatusInfo> {
  const fields = layoutOf(library);
  const bytes = await image.readMemory(address, fields.size);
  const view = new DataView(bytes.buffer, bytes.byteOffset, fields.size);
  const high = view.getUint32(fields.countHigh, true);
  const error = view.getInt32(fields.error, true);
  const errorName = errorClass(library, error);
  const told = {
    address: hex(address),
    source: sourceName(library, view.getInt32(fields.source, true)),
    tag: tagName(library, view.getInt32(fields.tag, true)),
    error,
    ...(errorName === undefined ? {} : { errorName }),
  };
  if (library.isStandardAbi && library.vendor !== undefined) {
    const why = `where ${library.vendor} keeps it in a status of the standard ABI is not known`;
    const nothing = unavailable('MPIDBG_ERR_NOT_SUPPORTED', why);
    return { ...told, bytes: nothing, cancelled: nothing };
  }
  return {
    ...told,
    bytes: integer(BigInt(view.getUint32(fields.countLow, true)) | (BigInt(high >>> 1) << lowerHalf)),
    cancelled: (high & cancelledBit) !== 0,
  };
}

/** A rank, or the constant that stands in a rank's place. */
export function sourceName(library: Library, rank: number): StatusInfo['source'] {
  const integers = integersOf(library);
  if (rank === integers.of('MPI_ANY_SOURCE')) return 'MPI_ANY_SOURCE';
  return rank === integers.of('MPI_PROC_NULL') ? 'MPI_PROC_NULL' : rank;
}

export function tagName(library: Library, tag: number): StatusInfo['tag'] {
  return tag === integersOf(library).of('MPI_ANY_TAG') ? 'MPI_ANY_TAG' : tag;
}

/** The name of an error code's class. */
function errorClass(library: Library, error: number): string | undefined {
  if (error < 0) return undefined;
  const isClass = (name: string) => /^MPI_SUCCESS$|^MPI(X|_T)?_ERR_/.test(name);
  // The last of several names.
  return integersOf(library).entries.findLast(([name, value]) => value === (error & classMask) && isClass(name))?.[0];
}
