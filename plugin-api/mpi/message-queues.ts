/** The message queues of one process, as a plugin decodes them. */
import { isUnavailable, type Result, unavailable } from '../result';
import type { QueueItem } from './queue-records';
import type { HandleRef, Hex, Known, RequestInfo } from './records';

/** A pending message. `isInternal`: the library's own, such as part of a collective operation. */
export interface PendingMessage extends Omit<QueueItem, 'internal'> {
  comm: Known<HandleRef>;
  isInternal: boolean;
}

/** All queues of a process, complete, in order of arrival from each peer. */
export interface MessageQueues {
  posted: Result<PendingMessage[]>;
  unexpected: Result<PendingMessage[]>;
  sends: Result<PendingMessage[]>;
  /** Missing: the message layer does not count messages. */
  counters?: Result<MessageCounters[]>;
}

/** Sequence numbers (modulo 65536) of a communicator and peer: of the last message sent and the next one expected. */
export interface MessageCounters {
  comm: HandleRef;
  /** The peer's rank in the communicator; for an intercommunicator, in the remote group. */
  peer: number;
  sent: number;
  expected: number;
}

/** A context id on which all processes of a communicator agree, for libraries whose contextId differs between them. */
export interface AgreedContext {
  comm: HandleRef;
  context: Hex;
}

/**
 * The processes of communicators that span MPI_COMM_WORLDs, by names that the library has for them: a process has the same one
 * everywhere, also in processes of other worlds.
 */
export interface SpanningMembers {
  /** What this process is called in `comms`. */
  own: string;
  comms: { comm: HandleRef; local: string[]; remote?: string[] }[];
}

type Call = Pick<
  RequestInfo,
  'operation' | 'active' | 'complete' | 'peer' | 'tag' | 'comm' | 'bytes' | 'buffer' | 'datatype' | 'count'
>;

/** A posted receive or a pending send; undefined: the request is neither, or is not pending. */
export function pendingTransfer(call: Call): Omit<PendingMessage, 'isInternal' | 'request'> | undefined {
  const { operation, active, complete, peer, tag, comm, bytes, buffer, datatype, count } = call;
  if ((operation !== 'receive' && operation !== 'send') || active !== true || complete !== false) return undefined;
  if (peer === undefined || peer === 'MPI_PROC_NULL' || tag === undefined || comm === undefined) return undefined;
  return {
    ...{ comm, peer, tag, bytes: bytes ?? unknownSize },
    ...(typeof buffer === 'string' ? { buffer } : {}),
    ...(datatype === undefined || isUnavailable(datatype) ? {} : { datatype }),
    ...(count === undefined || isUnavailable(count) ? {} : { count }),
  };
}

const unknownSize = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the library does not keep the size of the message');
