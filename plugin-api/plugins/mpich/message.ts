/** MPI_Message: a request that holds the message that a probe has taken out of UCX's queue. */
import type { MessageInfo } from '../../mpi/records';
import { CorruptError } from '../../result';
import { predefinedName } from './constants';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { messageArguments } from './ucx-requests';
import { isMessage } from './request-kinds';
import { requestSpec } from './specs';

/** Throws what liveObject throws, and CorruptError for a request that is no message. */
export async function readMessage(decoder: Decoder, handle: bigint): Promise<MessageInfo> {
  const base = { handle: hex(handle), fortranHandle: fortranHandle(handle) };
  const name = predefinedName('message', handle);
  if (name !== undefined) return { ...base, name, flags: ['predefined', 'messageNoProc'], ...noProcess };
  const request = await decoder.objects.reader.read(requestSpec, await liveObject(decoder, 'message', handle));
  if (!isMessage(request)) throw new CorruptError(`${hex(handle)} is a request, not a message`);
  return { ...base, name: '', flags: [], ...(await messageArguments(decoder, request)) };
}

/** What MPI_Mprobe tells of a message from MPI_PROC_NULL. */
const noProcess = {
  comm: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'it stands for a message from MPI_PROC_NULL' } as const,
  ...{ peer: -1, tag: -1, bytes: 0 },
};
