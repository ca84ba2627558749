/** MPI_Message. */
import { integer } from '../../mpi/integer';
import type { MessageInfo } from '../../mpi/records';
import { CorruptError, known, QueryError, unavailable } from '../../result';
import { checkMade } from './half-made';
import { checkHandle, type Decoder, handleRef, lateFortranNumber, overwritten, provedSlot } from './handles';
import { isMessageInUse, messageLayer } from './live-requests';
import { messageSpec, requestSpec, statusSpec } from './specs';
import { ucxMessageTag } from './ucx-requests';

/** Throws CorruptError if there is no live message at this address. Not for MPI_MESSAGE_NULL. */
export async function readMessage(decoder: Decoder, handle: bigint): Promise<MessageInfo> {
  await checkHandle(decoder, 'message', handle);
  const hex = `0x${handle.toString(16)}`;
  const message = await decoder.reader.read(messageSpec, handle);
  const predefined = await decoder.constants.predefined('message', handle);
  const nothing = unavailable('MPIDBG_ERR_NOT_FOUND', 'a message from MPI_PROC_NULL has none');
  if (predefined !== undefined) {
    const flags: MessageInfo['flags'] = ['predefined', 'messageNoProc'];
    const fields = { comm: nothing, peer: decoder.constants.integer('MPI_PROC_NULL') ?? -2, tag: nothing, bytes: 0 };
    return { handle: hex, fortranHandle: predefined.fortran, name: predefined.name, flags, ...fields };
  }
  if (!(await isMessageInUse(decoder, handle))) {
    const slot = await provedSlot(decoder, 'message', handle);
    if (slot !== undefined) throw overwritten('message', handle, 'it is linked as a free one is', slot);
    throw new CorruptError(
      `no live message at ${hex}: its memory is in the library's free list, so it was received, unless that link has been overwritten`,
    );
  }
  await checkMade(decoder, 'message', handle);
  return {
    handle: hex,
    fortranHandle: await lateFortranNumber(decoder, 'message', handle, message.fortranHandle),
    name: '',
    flags: [],
    comm: await known(() => handleRef(decoder, 'comm', message.comm)),
    peer: message.peer,
    tag: await known(() => readTag(decoder, message.request)),
    bytes: integer(message.bytes),
  };
}

/** The request that took the message from the queue has its status. */
async function readTag(decoder: Decoder, request: bigint): Promise<number> {
  const layer = await messageLayer(decoder);
  if (layer === 'ucx') return ucxMessageTag(decoder, request);
  if (layer !== 'ob1')
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `the message layer ${layer} does not keep a message's tag`);
  await checkHandle(decoder, 'request', request);
  const { status } = await decoder.reader.read(requestSpec, request);
  return (await decoder.reader.read(statusSpec, status)).tag;
}
