/** One of the user's breakpoints: what was asked for, and what has become of it in the gdbs. */
import type { Gdb } from '../gdb/gdb';
import type { CxxEvent, GdbBreakpoint } from '../gdb/mi/breakpoint-commands';
import type { BreakpointRequest } from './breakpoint-request';
import type { HitBreakpoint, Rank } from './rank';

export class Breakpoint implements HitBreakpoint {
  verified = false;
  /** Where it really is, once that is known: gdb moves a breakpoint to the next line with code. */
  file: string | undefined;
  line: number | undefined;
  /** The address of its code in the first rank that has it. */
  address: bigint | undefined;
  threadGroup: string | undefined;
  /** The source has been changed since the code was built. */
  isOfOlderCode = false;
  /** Why it is not verified: one sentence. */
  message: string | undefined;
  /** gdb's numbers in each gdb that took it: one, or one for each name of a function. */
  readonly numbers = new Map<Gdb, readonly string[]>();
  /** Why its condition could not be evaluated in a rank that is about to stop for that. */
  private readonly failures = new Map<Rank, string>();

  constructor(
    /** Unique and never used again: the DAP breakpoint id. */
    readonly id: number,
    readonly request: BreakpointRequest,
  ) {}

  get kind(): BreakpointRequest['kind'] {
    return this.request.kind;
  }

  get cxxEvent(): CxxEvent | undefined {
    return this.request.kind === 'exception' ? this.request.event : undefined;
  }

  failed(rank: Rank, why: string): void {
    this.failures.set(rank, why);
  }

  /** Why the rank stops although the condition does not hold; undefined: it holds. Of each failure once. */
  takeFailure(rank: Rank): string | undefined {
    const why = this.failures.get(rank);
    this.failures.delete(rank);
    return why;
  }

  /** Whether a library that is not loaded yet, or whose symbols are not, may bring its code. */
  get waitsForCode(): boolean {
    return !this.verified || this.request.kind === 'exception';
  }

  /** Takes over where gdb put it. One that has a location in one gdb keeps it even if another gdb has none yet. */
  locate({ isPlaced, file, line, address, threadGroups }: GdbBreakpoint): void {
    if (!isPlaced) return;
    this.verified = true;
    this.address = address;
    [this.threadGroup] = threadGroups;
    if (line === undefined) return;
    this.line = line;
    this.file = file;
  }
}

/** No two breakpoints have one id, not even in two jobs. */
let lastId = 0;

/** Also for one that is set in a later job. */
export function newBreakpointId(): number {
  return ++lastId;
}
