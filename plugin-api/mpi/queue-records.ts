/**
 * The message queues of a job: the output of `mpidbg queues TARGET --json` and the body of the custom request
 * mpidbg/queues. The rules of records.ts apply. The library's own messages are listed only on demand.
 */
import type { CommInfo, HandleRef, Hex, Integer, Known, RankError, RankId } from './records';

export interface QueuesDocument {
  schema: 'mpidbg/1';
  target: 'live' | 'core';
  ranks: (RankQueues | RankError)[];
}

/** notes: one sentence for each reason why messages are missing from the queues. */
export interface RankQueues extends RankId {
  comms: CommQueues[];
  notes?: string[];
}

/** The queues of one communicator. Communicators whose queues are empty are listed too. */
export interface CommQueues {
  comm: HandleRef;
  /** Posted receives that are not complete. */
  posted: Known<QueueItem[]>;
  /** Messages that arrived or were announced before a receive was posted, in order of arrival from each sender. */
  unexpected: Known<QueueItem[]>;
  /** Sends that are not complete. */
  sends: Known<QueueItem[]>;
}

/**
 * peer: rank in the communicator (in the remote group of an intercommunicator). bytes: the size of the message; for a
 * receive, the size of its buffer. count: elements of `datatype`. internal: the library's own message, listed only on
 * demand. collective: the operation that the message belongs to, which may itself be part of the one that the program
 * called, since libraries build some collective operations from others.
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

/** The document, and of each of its ranks what is known of its communicators, in the same order. */
export interface DescribedQueues {
  document: QueuesDocument;
  comms: readonly (readonly CommInfo[])[];
}
