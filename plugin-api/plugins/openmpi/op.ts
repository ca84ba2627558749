/** MPI_Op. */
import { callbackAt } from '../../mpi/callback';
import type { Callback, OpInfo } from '../../mpi/records';
import { known, unavailable } from '../../result';
import { checkMade } from './half-made';
import { checkHandle, checkSlot, type Decoder, objectName } from './handles';
import { opSpec } from './specs';

/** o_flags. */
const bits = { predefined: 0x1, fortran: 0x2, cxx: 0x4, java: 0x8, commutative: 0x40 };

/** Throws CorruptError if there is no live operation at this address. Not for MPI_OP_NULL. */
export async function readOp(decoder: Decoder, handle: bigint): Promise<OpInfo> {
  await checkHandle(decoder, 'op', handle);
  const op = await decoder.reader.read(opSpec, handle);
  await checkSlot(decoder, 'op', handle, op.fortranHandle);
  await checkMade(decoder, 'op', handle);
  const isPredefined = (op.flags & bits.predefined) !== 0;
  const flags: OpInfo['flags'] = isPredefined ? ['predefined'] : [];
  if ((op.flags & bits.commutative) !== 0) flags.push('commutative');
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: op.fortranHandle,
    name: await objectName(decoder, 'op', handle),
    flags,
    // MPI_Op_free does not mark one that is still in use.
    ...(isPredefined ? {} : { unknownFlags: ['freedHandle'] }),
    ...(isPredefined
      ? {}
      : { callback: await known(() => callbackAt(decoder.image, op.function, languageOf(op.flags))) }),
    pendingRequests: unavailable(
      'MPIDBG_ERR_NOT_SUPPORTED',
      'only the schedule of a nonblocking reduction says which operation it uses',
    ),
  };
}

function languageOf(flags: number): Callback['language'] {
  if ((flags & bits.fortran) !== 0) return 'fortran';
  return (flags & (bits.cxx | bits.java)) !== 0 ? 'unknown' : 'c';
}
