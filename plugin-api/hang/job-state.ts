/** What a verdict is made of: every process of a job at one look. */
import type { AgreedContext, MessageCounters } from '../mpi/message-queues';
import type { CommQueues } from '../mpi/queue-records';
import type { CommInfo, FileInfo, Known, RankId, RequestInfo, WinInfo } from '../mpi/records';
import type { RankPosition } from './position';

export interface ProcessState {
  id: RankId;
  /** Why nothing of it is known; the rest is then empty. */
  error?: string;
  /** "SIGSEGV at solver.f90:120": how it died. */
  crash?: string;
  positions: readonly RankPosition[];
  /** With the library's own. */
  comms: readonly CommInfo[];
  /** undefined: why they are not known; then nobody knows which communicators of different processes are one. */
  contexts: readonly AgreedContext[] | undefined;
  queues: readonly CommQueues[];
  requests: readonly RequestInfo[];
  wins: readonly WinInfo[];
  files: readonly FileInfo[];
  /** Unavailable: the message layer has none. */
  counters: Known<MessageCounters[]>;
  /** When its core file was written: seconds since 1970. */
  written?: number;
  /** Changes with each message that the process sends or receives through shared memory; undefined: there is none. */
  traffic: string | undefined;
}
