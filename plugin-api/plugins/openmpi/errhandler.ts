/** Error handlers as far as a reference to one needs them. */
import type { HandleRef } from '../../mpi/records';
import { handleRef, type Decoder } from './handles';

/** Throws CorruptError when no error handler lies there. */
export function errhandlerRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  return handleRef(decoder, 'errhandler', address);
}
