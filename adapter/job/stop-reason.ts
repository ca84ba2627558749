/** gdb's cause of a stop → ours. */
import type { SeenDeath } from '../../plugin-api/deaths/seen-death';
import type { GdbStop } from '../gdb/stop-record';
import type { Breakpoint } from './breakpoint';
import type { Rank, ThreadStop } from './rank';

/** What gdb's numbers stand for. */
export interface BreakpointLookup {
  /** What is behind the number of a breakpoint; undefined when the user made it through gdb itself. */
  breakpoint(number: string): Breakpoint | 'entry' | undefined;
  /** What the thread has stopped for at a breakpoint of Deaths. */
  death(thread: number | undefined): SeenDeath | undefined;
}

/** Why a thread of the rank stopped by itself; undefined when it stopped because it was told to. */
export function stopReasonOf({ cause, thread }: GdbStop, of: BreakpointLookup, rank: Rank): ThreadStop | undefined {
  switch (cause?.kind) {
    case 'breakpoint': {
      const death = of.death(thread);
      if (death !== undefined) return { reason: 'death', breakpoints: [], death };
      // One of our own: the step has come to a function that is called back, see callback-script.ts.
      if (cause.number.startsWith('-')) return { reason: 'step', breakpoints: [] };
      const breakpoint = of.breakpoint(cause.number);
      if (breakpoint === 'entry') return { reason: 'entry', breakpoints: [] };
      return { reason: 'breakpoint', ...hitIn(rank, breakpoint) };
    }
    case 'watch': {
      const breakpoint = of.breakpoint(cause.number);
      const hit = hitIn(rank, breakpoint === 'entry' ? undefined : breakpoint);
      return { reason: 'breakpoint', ...hit, change: { before: cause.before, after: cause.after } };
    }
    case 'step':
      return { reason: 'step', breakpoints: [] };
    case 'signal':
      return { reason: 'signal', breakpoints: [], signal: { name: cause.name, meaning: cause.meaning } };
    case undefined:
    case 'interrupt':
      return undefined;
    case 'end':
    case 'other':
      return { reason: 'unknown', breakpoints: [] };
  }
}

function hitIn(rank: Rank, breakpoint: Breakpoint | undefined): Pick<ThreadStop, 'breakpoints' | 'unevaluated'> {
  const unevaluated = breakpoint?.takeFailure(rank);
  return {
    breakpoints: breakpoint === undefined ? [] : [breakpoint],
    ...(unevaluated === undefined ? {} : { unevaluated }),
  };
}
