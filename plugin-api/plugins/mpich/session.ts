/** MPI_Session. */
import type { SessionInfo } from '../../mpi/records';
import { known, unavailable } from '../../result';
import { errhandlerRef } from './errhandler';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { sessionSpec } from './specs';

const threadLevels: Readonly<Record<number, string>> = {
  0: 'MPI_THREAD_SINGLE',
  1: 'MPI_THREAD_FUNNELED',
  2: 'MPI_THREAD_SERIALIZED',
  3: 'MPI_THREAD_MULTIPLE',
};

/** Throws what liveObject throws. */
export async function readSession(decoder: Decoder, handle: bigint): Promise<SessionInfo> {
  const session = await decoder.objects.reader.read(sessionSpec, await liveObject(decoder, 'session', handle));
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name: '',
    flags: [],
    errhandler: await known(() => errhandlerRef(decoder, session.errhandler)),
    threadLevel: threadLevel(session.threadLevel),
  };
}

function threadLevel(level: number | undefined): SessionInfo['threadLevel'] {
  if (level === undefined)
    return unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'this MPICH does not keep the thread level of a session');
  return (
    threadLevels[level] ?? unavailable('MPIDBG_ERR_NOT_FOUND', `the thread level is ${level}, which is not plausible`)
  );
}
