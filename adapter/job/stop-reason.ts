/** gdb's reason for a stop → ours. */
import type { GdbStop } from '../gdb/gdb';
import { optionalText, tuple } from '../gdb/mi/mi-values';
import type { Breakpoint } from './breakpoints';
import type { ThreadStop } from './rank';

/** What is behind gdb's number of a breakpoint; undefined when the user made it through gdb itself. */
export type BreakpointLookup = (number: string) => Breakpoint | 'entry' | undefined;

/** Why the thread stopped by itself; undefined when it stopped because it was told to. */
export function stopReasonOf(stop: GdbStop, breakpointOf: BreakpointLookup): ThreadStop | undefined {
  switch (stop.reason) {
    case 'breakpoint-hit': {
      const breakpoint = breakpointOf(optionalText(stop.results, 'bkptno') ?? '');
      if (breakpoint === 'entry') return { reason: 'entry', breakpoints: [] };
      return { reason: 'breakpoint', breakpoints: breakpoint === undefined ? [] : [breakpoint] };
    }
    case 'watchpoint-trigger':
    case 'read-watchpoint-trigger':
    case 'access-watchpoint-trigger':
      return watchedStop(stop, breakpointOf);
    case 'end-stepping-range':
    case 'function-finished':
    case 'location-reached':
      return { reason: 'step', breakpoints: [] };
    case 'signal-received': {
      const name = optionalText(stop.results, 'signal-name') ?? '0';
      // What gdb reports for a thread that it was told to interrupt.
      if (name === '0' || name === 'SIGINT') return undefined;
      const meaning = optionalText(stop.results, 'signal-meaning') ?? '';
      return { reason: 'signal', breakpoints: [], signal: { name, meaning } };
    }
    case undefined:
      return undefined;
    default:
      return { reason: 'unknown', breakpoints: [] };
  }
}

function watchedStop({ results }: GdbStop, breakpointOf: BreakpointLookup): ThreadStop {
  const which = ['wpt', 'hw-rwpt', 'hw-awpt'].find((name) => results[name] !== undefined) ?? 'wpt';
  const breakpoint = breakpointOf(optionalText(tuple(results, which), 'number') ?? '');
  const values = results.value === undefined ? {} : tuple(results, 'value');
  const after = optionalText(values, 'new') ?? optionalText(values, 'value');
  return {
    reason: 'breakpoint',
    breakpoints: breakpoint === undefined || breakpoint === 'entry' ? [] : [breakpoint],
    change: { before: optionalText(values, 'old'), after },
  };
}
