/** What a user asks for with a breakpoint. */
import type { MpiFunction } from '../../plugin-api/fortran/call-words';
import type { BreakpointLocation, CxxEvent, WatchAccess } from '../gdb/mi/breakpoint-commands';
import type { HitTest, LogPart } from '../gdb/python/stop-rule';
import type { Rank } from './rank';

/** A piece of one rank's memory; at most 8 bytes, aligned to its size. */
export interface WatchedMemory {
  rank: Rank;
  address: bigint;
  /** A C type, which gives the size and the format of the old and new values. */
  type: string;
  access: WatchAccess;
  /** Only these bits of it: a bit field of C. */
  bits?: WatchedBits;
}

/** `count` bits from bit `first` on, in a word of `bytes` bytes. */
export interface WatchedBits {
  bytes: number;
  first: number;
  count: number;
  isSigned: boolean;
}

/** Where: a line, a function, what C++ does with exceptions, a machine instruction of one rank, its memory. */
export type BreakpointWhere =
  | BreakpointLocation
  | { kind: 'exception'; event: CxxEvent; type?: string | undefined }
  | { kind: 'instruction'; rank: Rank; instruction: bigint }
  | { kind: 'data'; watched: WatchedMemory };

export type BreakpointRequest = BreakpointWhere & {
  /** In the language of the place, evaluated by gdb in each rank; with `$rank`, and `$rank in 0-3,7`. */
  condition?: string | undefined;
  /** Where gdb would call an operator or a method of the program for the condition: the same without. */
  instead?: string | undefined;
  /** The function is one of MPI's: it stops at all names of it, once per call. */
  call?: MpiFunction | undefined;
  /** The language of the place, where it is not C. */
  language?: 'fortran' | undefined;
  /** Each rank counts for itself how often the condition held there. */
  hits?: HitTest | undefined;
  /** Instead of a stop. */
  log?: readonly LogPart[] | undefined;
  /** The id of the breakpoint that this one replaces, from an earlier job of the session. */
  id?: number | undefined;
};

/** Equal requests are one breakpoint, which is kept with its counts. */
export function requestKey(request: BreakpointRequest): string {
  return JSON.stringify({ ...request, id: undefined }, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'object' && value !== null && 'threadGroup' in value) return (value as Rank).label;
    return value;
  });
}

export function isInCode(request: BreakpointRequest): request is BreakpointRequest & BreakpointLocation {
  return request.kind === 'line' || request.kind === 'function';
}
