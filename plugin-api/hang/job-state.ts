/** What a verdict is made of: every process of a job at one look. */
import type { AgreedContext, MessageCounters, SpanningMembers } from '../mpi/message-queues';
import type { EpochGroups } from '../mpi/plugin';
import type { CommQueues } from '../mpi/queue-records';
import type { ThreadLevel } from '../mpi/thread-levels';
import type { CommInfo, Crash, FileInfo, Known, MessageInfo, RankId, RequestInfo, WinInfo } from '../mpi/records';
import type { OpenMpWait } from './openmp-waits';
import type { RankPosition } from './position';

export interface FoundProcess {
  /** stopped: by somebody, who may let it go on. runnable: it runs, or waits for a processor. */
  state: 'stopped' | 'runnable' | 'sleeping';
  /** How long its first thread has run in all, in milliseconds. */
  processorTime?: number;
}

/** The collective operation that a thread is in, from a collector: its ordinal among the communicator's collectives in this process. */
export interface CountedCollective {
  /** The kernel's number of the thread. */
  thread: number;
  instance: number;
}

/** The connections of a process with other hosts. */
export interface NetworkState {
  /** Changes with each byte that they have carried. */
  carried: string;
  /** Bytes that the other host's kernel has not acknowledged yet. */
  unsent: number;
  /** Bytes that have come and that the process has not read yet. */
  unread: number;
}

/** Where memory that processes share begins: a file, by its device and inode, and the place in it. */
export interface SharedPlace {
  file: string;
  offset: string;
}

export interface ProcessState {
  id: RankId;
  /** Why nothing of it is known; the rest is then empty. */
  error?: string;
  /** How it died, from its core file. */
  crash?: OwnCrash;
  positions: readonly RankPosition[];
  /** Only other threads of the process are left, as after pthread_exit in main. */
  mainHasEnded?: boolean;
  /** One sentence for each file that has changed since the process loaded it, and is read no more. */
  lostFiles?: readonly string[];
  /** With the library's own. */
  comms: readonly CommInfo[];
  /** undefined: why they are not known; then nobody knows which communicators of different processes are one. */
  contexts: readonly AgreedContext[] | undefined;
  /** undefined: processes of other worlds are not known. */
  spanning?: SpanningMembers;
  queues: readonly CommQueues[];
  requests: readonly RequestInfo[];
  /** Those that a probe has matched, and that have not been received yet. */
  matched?: readonly MessageInfo[];
  wins: readonly (WinInfo & EpochGroups & { sharedAt?: SharedPlace })[];
  /** Differs where the first bytes of its own parts of windows do; missing: there are none, or they cannot be read. */
  inWindows?: string;
  files: readonly FileInfo[];
  /** Unavailable: the message layer has none. */
  counters: Known<MessageCounters[]>;
  /** When its core file was written: seconds since 1970. */
  written?: number;
  threadLevel: Known<ThreadLevel>;
  /** As it was before anybody held it; undefined: nobody knows. */
  found?: FoundProcess;
  /** Where calls are collected. */
  collectives?: readonly CountedCollective[];
  /** Where OpenMP is collected. */
  openmp?: readonly OpenMpWait[];
  /** Changes with each message that the process sends or receives through shared memory; undefined: there is none. */
  traffic: string | undefined;
  /** For a job on several hosts. undefined: it is not known of all ways from the process to other hosts whether something is on them. */
  network?: NetworkState;
}

export type OwnCrash = Pick<Crash, 'text' | 'wasSent'>;
