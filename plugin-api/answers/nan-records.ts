/** What `mpidbg nan` and mpidbg/nan answer: docs/nan.md describes each field. */
import type { RankError } from '../mpi/records';

/** Numbers of one variable that are NaN or infinite, in these ranks. */
export interface FoundNan {
  /** "0-2,4"; of another MPI_COMM_WORLD "0.1:0-3"; for processes without a rank number "pid 4711". */
  ranks: string;
  /** All of the variable: "u", "cells[*].velocity". */
  expression: string;
  /** The function whose variable it is, or in which the expression was evaluated; left out for a global variable. */
  function?: string;
  /** The number of the thread within the rank, where it is another than the first. */
  thread?: number;
  /** Where the variable is declared, as far as that is known. */
  source?: { file: string; line: number };
  /** As the debug information names the type of the whole variable. */
  type: string;
  nans: number;
  infinities: number;
  /** That were looked at. */
  elements: number;
  /** They are as many as malloc's block has room for: the program may have asked for a few less. */
  isAtMost?: true;
  /** The first in the order of the subscripts: "u(17,3)". */
  first: string;
  /** What the first is. */
  value: 'NaN' | 'Infinity' | '-Infinity';
  /** Where several are: the smallest box that holds them, "u(17,3:5)". `isFull`: they are all of it. */
  box?: { expression: string; isFull: boolean };
  /** All of them lie in the last bytes of a block of malloc's, which may be beyond the end of what the program asked for. */
  mayLieBeyondEnd?: true;
  /** The bound on what is read was reached: there may be more. */
  isPartial?: true;
}

/** A variable that was not looked at. */
export interface NotLookedAt {
  ranks: string;
  expression: string;
  function?: string;
  thread?: number;
  reason: string;
}

/** How much was looked at. */
export interface LookedAt {
  ranks: string;
  /** Variables with floating point numbers. */
  variables: number;
  /** Numbers, and the bytes that were read. */
  elements: number;
  bytes: number;
  /** A bound was reached: not all was looked at. */
  isPartial?: true;
}

export interface NanDocument {
  schema: 'mpidbg/1';
  target: 'live' | 'core';
  /** Variables of innermost frames first, global ones last. */
  found: FoundNan[];
  notLookedAt: NotLookedAt[];
  lookedAt: LookedAt[];
  /** The ranks that could not be asked at all. */
  errors: RankError[];
}
