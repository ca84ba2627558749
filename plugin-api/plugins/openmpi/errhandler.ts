/** Error handlers as far as a reference to one needs them. */
import type { HandleRef } from '../../mpi/records';
import { checkHandle, type Decoder } from './handles';

/** Throws CorruptError when no error handler lies there. */
export async function errhandlerRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  await checkHandle(decoder, 'errhandler', address);
  const predefined = await decoder.constants.predefined('errhandler', address);
  const handle = `0x${address.toString(16)}`;
  return predefined === undefined
    ? { kind: 'errhandler', handle }
    : { kind: 'errhandler', handle, name: predefined.name };
}
