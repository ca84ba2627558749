/** MPI_Session, since Open MPI 5.0.0. */
import type { SessionInfo } from '../../mpi/records';
import { known, unavailable } from '../../result';
import { errhandlerRef } from './errhandler';
import { checkHandle, checkSlot, type Decoder, objectName } from './handles';
import { sessionSpec } from './specs';

/** Throws CorruptError if there is no live session at this address. Not for MPI_SESSION_NULL. */
export async function readSession(decoder: Decoder, handle: bigint): Promise<SessionInfo> {
  await checkHandle(decoder, 'session', handle);
  const session = await decoder.reader.read(sessionSpec, handle);
  await checkSlot(decoder, 'session', handle, session.fortranHandle);
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: session.fortranHandle,
    name: await objectName(decoder, 'session', handle),
    flags: [],
    errhandler: await known(() => errhandlerRef(decoder, session.errhandler)),
    threadLevel:
      decoder.constants.nameOf('MPI_THREAD_', session.threadLevel) ??
      unavailable('MPIDBG_ERR_NOT_FOUND', `${session.threadLevel} is not a thread level`),
  };
}
