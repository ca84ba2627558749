/**
 * What UCX's memory tells of pending transfers, for the plugins of MPI libraries that send through it. No MPI in here:
 * what a tag's bits, an endpoint or a user's area mean is the MPI plugin's knowledge.
 *
 *   const ucx = await openUcx(image);                     // fails where the UCX of the process is not known
 *   await readReceive(ucx, area), readSend(ucx, area)     // one transfer, by the address that UCX gave for it
 *   await postedReceives(ucx, worker)                     // receives that wait for a message
 *   await unexpectedMessages(ucx, worker)                 // messages that wait for a receive
 *   await readMessage(ucx, handle)                        // a message that MPI_Mprobe took out
 *
 * All throw QueryError: ERR_NOT_SUPPORTED for an unknown UCX, FaultError and CorruptError for memory that does not hold it.
 */
export { openUcx, type Ucx } from './library';
export { isWorkerOf, postedReceives, readMessage, unexpectedMessages } from './queues';
export { readNotes, readReceive, readSend, requestAddress, type Receive, type TransferData } from './transfer';
