/** The message queues of one process, as a plugin tells them. */
import { isUnavailable, type Result, unavailable } from '../result';
import type { QueueItem } from './queue-records';
import type { HandleRef, Hex, Known, RequestInfo } from './records';

/** A pending message, as a plugin tells it. isInternal: the library's own, as those that a collective operation consists of. */
export interface PendingMessage extends Omit<QueueItem, 'internal'> {
  comm: Known<HandleRef>;
  isInternal: boolean;
}

/** What a plugin tells of a process; each queue as long as it is, in the order of arrival from each peer. */
export interface MessageQueues {
  posted: Result<PendingMessage[]>;
  unexpected: Result<PendingMessage[]>;
  sends: Result<PendingMessage[]>;
  /** Absent: the message layer does not count. */
  counters?: Result<MessageCounters[]>;
}

/** Messages of a communicator to and from a peer, counted modulo 65536: the last one sent, and the next one expected. */
export interface MessageCounters {
  comm: HandleRef;
  /** Its rank, in the remote group of an intercommunicator. */
  peer: number;
  sent: number;
  expected: number;
}

/** What all processes of a communicator have in common where its contextId is each process' own number. */
export interface AgreedContext {
  comm: HandleRef;
  context: Hex;
}

type Call = Pick<
  RequestInfo,
  'operation' | 'active' | 'complete' | 'peer' | 'tag' | 'comm' | 'bytes' | 'buffer' | 'datatype' | 'count'
>;

/** A posted receive or a pending send; undefined: it is none of the two, or nothing of it is pending. */
export function pendingTransfer(call: Call): Omit<PendingMessage, 'isInternal' | 'request'> | undefined {
  const { operation, active, complete, peer, tag, comm, bytes, buffer, datatype, count } = call;
  if ((operation !== 'receive' && operation !== 'send') || active !== true || complete !== false) return undefined;
  if (peer === undefined || peer === 'MPI_PROC_NULL' || tag === undefined || comm === undefined) return undefined;
  return {
    ...{ comm, peer, tag, bytes: bytes ?? unkept },
    ...(typeof buffer === 'string' ? { buffer } : {}),
    ...(datatype === undefined || isUnavailable(datatype) ? {} : { datatype }),
    ...(count === undefined || isUnavailable(count) ? {} : { count }),
  };
}

const unkept = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the size of the message is not kept');
