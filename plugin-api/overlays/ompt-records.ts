/** What the OpenMP runtime tells of itself (OMPT). Names are those of omp-tools.h, without prefix; addresses are hexadecimal. */
import type { CodeRef } from '../mpi/code-ref';
import type { Hex, Integer, Known } from '../mpi/records';

export interface Ompt {
  /** What ompt_start_tool was told. */
  runtime: string;
  /** `set`: what ompt_set_callback answered. `called`: how often it came. */
  callbacks: { name: string; set: SetAnswer; called: Integer }[];
  threads: OmptThread[];
  /** The last ones, oldest first. */
  records: OmptRecord[];
  devices: OmptDevice[];
}

export type SetAnswer = 'never' | 'impossible' | 'sometimes' | 'sometimes_paired' | 'always' | 'error' | 'off';

export interface OmptThread {
  /** The kernel's number of the thread. */
  thread: number;
  type: 'initial' | 'worker' | 'other' | 'unknown';
  /** "wait_barrier_implicit_parallel" */
  state: string;
  /** The innermost region that it works for. */
  parallel?: OmptParallel;
  task?: OmptTask;
  waitsFor?: OmptWait;
  holds: OmptHold[];
}

export interface OmptParallel {
  id: Integer;
  /** The number of threads that were requested; 0: as the runtime likes. */
  requested: number;
  teamSize?: number;
  /** omp_get_thread_num() of the thread. */
  index?: number;
  flags: string[];
  code?: CodeRef;
  /** The id of the region around it. */
  enclosing?: Integer;
}

export interface OmptTask {
  id: Integer;
  flags: string[];
  parent?: Integer;
  code?: CodeRef;
}

export interface OmptWait {
  kind: 'barrier' | 'taskwait' | 'taskgroup' | 'reduction' | 'target' | MutexKind;
  /** The kind of a barrier: implicit, explicit, teams, workshare, ...; for a mutex how it is implemented. */
  detail?: string;
  waitId?: Hex;
  code?: CodeRef;
  since: number;
}

export type MutexKind = 'lock' | 'nest_lock' | 'critical' | 'atomic' | 'ordered';

export interface OmptHold {
  kind: MutexKind;
  waitId: Hex;
  /** Where it was taken. */
  code?: CodeRef;
  since: number;
}

/** A callback. fields: those of the specification's record, by their names in C; of a callback without a record its arguments. */
export interface OmptRecord {
  type: string;
  endpoint?: 'begin' | 'end' | 'beginend';
  time: number;
  thread: number;
  fields: Record<string, FieldValue>;
  code?: CodeRef;
}

export type FieldValue = Integer | string | null | (Integer | string)[] | Record<string, Integer | string | null>[];

export interface OmptDevice {
  number: number;
  type: string;
  documentation?: string;
  images: { address: Hex; bytes: Integer }[];
  /** Unavailable: it does not trace; the reason says why. */
  tracing: Known<boolean>;
  buffersLost: Integer;
  /** What it has traced. */
  records: {
    type: string;
    time: number;
    threadId?: Integer;
    targetId?: Integer;
    fields: Record<string, FieldValue>;
  }[];
}
