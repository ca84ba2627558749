/** What a thread that is blocked waits for. */
import type { HandleRef } from '../mpi/records';
import { isUnavailable } from '../result';
import type { Communicator } from './communicators';
import type { Message } from './message';
import type { OpenMpWait } from './openmp-waits';
import type { Block, RankPosition } from './position';

/** One thing that has to happen, and who can make it happen. Processes are indices in the job. */
export interface Need {
  kind: 'receive' | 'send' | 'collective' | 'window' | 'thread' | 'vague';
  /** AND: each of `on` has to act; OR: one of them is enough. */
  mode: 'AND' | 'OR';
  on: readonly number[];
  /** Who has come already, and may still have to do something: one of them that can go on is enough. */
  others?: readonly number[];
  comm?: Communicator;
  /** The message that is waited for. */
  message?: Message;
  /** The window of a call on one. */
  win?: HandleRef;
  /** For a call on a window that waits for a lock, or with one: the processes that have locked the window. */
  lockedBy?: readonly number[];
  /** True for a partitioned send or receive. */
  isPartitioned?: boolean;
  /** True for a nonblocking collective operation. */
  isNonblocking?: boolean;
  /** For a collective operation: all members have come, and still wait for messages of it. */
  isComplete?: boolean;
  /** For a collective operation that some have left already: the message layer shows with whom it still exchanges messages. */
  isPartial?: boolean;
  /** For a collective operation: whose messages it still awaits, and who has not taken its own. */
  pending?: PendingBlocks;
  /** For a thread that waits for others of its process in OpenMP. */
  openmp?: OpenMpWait;
  /** It can happen though nobody acts. */
  happens?: string;
  /** Why it is not known what has to happen; anybody may then do it. */
  vague?: string;
}

export interface PendingBlocks {
  from: readonly number[];
  to: readonly number[];
}

/** A block of a collective operation that `waiting`, one of both, waits for; `why`: what shows that the other one does not do its part. */
export interface BlockDisagreement {
  from: number;
  to: number;
  waiting: number;
  why: 'edges' | 'counts' | 'unknown';
  /** As each side's counts say; undefined: not known. */
  given?: Block;
  taken?: Block;
}

/** A thread that waits for all of its needs, or for one. */
export interface Wait {
  process: number;
  position: RankPosition;
  call: string;
  mode: 'AND' | 'OR';
  needs: readonly Need[];
}

/** A wait of which it is not known who ends it: any other of `count` processes may. */
export function needOfAnybody(process: number, count: number, vague: string, comm?: Communicator): Need {
  const others = Array.from({ length: count }, (_, index) => index).filter((index) => index !== process);
  return { kind: 'vague', mode: 'OR', on: others, vague, ...(comm === undefined ? {} : { comm }) };
}

export function reasonOf(value: unknown): string | undefined {
  return isUnavailable(value) ? value.reason : undefined;
}
