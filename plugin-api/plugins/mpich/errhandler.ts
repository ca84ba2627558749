/** MPI_Errhandler: so far only as what another object refers to. */
import type { HandleRef } from '../../mpi/records';
import { CorruptError } from '../../result';
import { predefinedName } from './constants';
import { decodeBits, hex, type Decoder } from './handles';
import { objectSpec } from './specs';

const errorsAreFatal = 0x54000000n;
const errhandlerNumber = 5;

/** `address`: of the object; 0n: none was ever set, which means MPI_ERRORS_ARE_FATAL. Throws CorruptError. */
export async function errhandlerRef({ objects }: Decoder, address: bigint): Promise<HandleRef> {
  const handle = address === 0n ? errorsAreFatal : BigInt((await objects.reader.read(objectSpec, address)).handle);
  if (decodeBits(handle).kindNumber !== errhandlerNumber)
    throw new CorruptError(`there is no error handler at ${hex(address)}`);
  const name = predefinedName('errhandler', handle);
  return { kind: 'errhandler', handle: hex(handle), ...(name === undefined ? {} : { name }) };
}
