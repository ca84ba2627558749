/** `mpidbg hang TARGET --json` and mpidbg/hang: why a job does not go on. A verdict is never stronger than its evidence. */
import type { RankError } from '../mpi/records';
import type { RankPosition } from './position';

/** In the order of their precedence, as far as more than one is true of a job. */
export type HangType =
  | 'root-mismatch'
  | 'comm-mismatch'
  | 'collective-order-mismatch'
  | 'collective-missing-rank'
  | 'tag-mismatch'
  | 'p2p-cycle'
  | 'p2p-missing-partner'
  | 'missing-wait'
  | 'rma'
  | 'threads'
  | 'other';

/** mode, waitsFor: whom a blocked thread waits for, all of them or one; ranks of MPI_COMM_WORLD. */
export interface WaitingPosition extends RankPosition {
  mode?: 'AND' | 'OR';
  waitsFor?: number[];
  /** The same with their worlds, where the job has several. */
  waitsForRanks?: RankOfWorld[];
  /** A communicator without a name, in the same words for all ranks, whose handles differ: "a copy of MPI_COMM_WORLD". */
  on?: string;
}

/** See RankId. */
export interface RankOfWorld {
  world: string;
  rank: number;
}

export interface HangDocument {
  schema: 'mpidbg/1';
  target: 'live' | 'core';
  /** deadlock: nobody of some ranks can go on, whatever the others do. */
  verdict: 'deadlock' | 'progress' | 'unknown';
  /** What a deadlock rests on: no message is under way by the library's own numbers, nothing moved, or one look at cores. */
  proof?: 'counters' | 'two-looks' | 'one-look';
  /** null unless the verdict is "deadlock". */
  type: HangType | null;
  /** A few sentences, the cause first. */
  sentence: string;
  /** A sentence: what to do so that more is known; absent where nothing is known to help. */
  advice?: string;
  /** Ranks of MPI_COMM_WORLD whose code has to be looked at, ascending; not those who queue behind them. */
  culprits: number[];
  /** The same with their worlds, where the job has several. */
  culpritRanks?: RankOfWorld[];
  looks: { count: number; seconds: number };
  /** The first thread of each rank and every other one that is inside MPI. */
  ranks: (WaitingPosition | RankError)[];
  evidence: { rank: number; world?: string; fact: string }[];
}
