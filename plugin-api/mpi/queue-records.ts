/**
 * The message queues of a job: `mpidbg queues TARGET --json` and the custom request mpidbg/queues. The rules of records.ts
 * hold here too. The library's own messages are listed only on demand.
 */
import type { HandleRef, Hex, Integer, Known, RankError, RankId } from './records';

export interface QueuesDocument {
  schema: 'mpidbg/1';
  target: 'live' | 'core';
  ranks: (RankQueues | RankError)[];
}

/** notes: messages that are in no queue here, and why; a sentence each. */
export interface RankQueues extends RankId {
  comms: CommQueues[];
  notes?: string[];
}

/** The queues of one communicator; those with nothing in them are listed too. */
export interface CommQueues {
  comm: HandleRef;
  /** Receives that have been posted and are not complete. */
  posted: Known<QueueItem[]>;
  /** Messages that have arrived, or been announced, before a receive for them was posted. In order of arrival from each sender. */
  unexpected: Known<QueueItem[]>;
  /** Sends that are not complete. */
  sends: Known<QueueItem[]>;
}

/**
 * peer: rank in the communicator (in the remote group of an intercommunicator). bytes: the size of the message; of a receive,
 * of its buffer. count: elements of datatype. internal: the library's own, listed only on demand. collective: the operation whose own message it is; libraries make some
 * collective operations of others, so it may be a part of one.
 */
export interface QueueItem {
  peer: Known<number | 'MPI_ANY_SOURCE'>;
  tag: Known<number | 'MPI_ANY_TAG'>;
  bytes: Known<Integer>;
  request?: HandleRef;
  buffer?: Hex;
  datatype?: HandleRef;
  count?: Integer;
  collective?: string;
  internal?: true;
}
