/** What a verdict is made of: every process of a job at one look. */
import type { MessageCounters } from '../mpi/message-queues';
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
  queues: readonly CommQueues[];
  requests: readonly RequestInfo[];
  wins: readonly WinInfo[];
  files: readonly FileInfo[];
  /** Unavailable: the message layer has none. */
  counters: Known<MessageCounters[]>;
  /** Changes with each message that the process sends or receives through shared memory; undefined: there is none. */
  traffic: string | undefined;
}
