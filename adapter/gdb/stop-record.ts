/** The content of a *stopped. */
import { integer, optionalText, text, texts, tuple, type MiTuple } from './mi/mi-values';
import { withShortestNumbers } from '../../plugin-api/answers/values/shortest-number';

/** One *stopped. */
export interface GdbStop {
  /** Global thread number of the thread that the record is about; undefined when a process has ended. */
  readonly thread: number | undefined;
  /** Every thread that is stopped now because of it; in non-stop mode just the one. */
  readonly stoppedThreads: readonly number[] | 'all';
  /** undefined after an attach. */
  readonly cause: GdbStopCause | undefined;
  /** Where the thread is, as gdb writes it. */
  readonly address: string | undefined;
}

/** Breakpoints have gdb's numbers. */
export type GdbStopCause =
  | { readonly kind: 'breakpoint'; readonly number: string }
  /** Values of the memory as gdb prints them. */
  | {
      readonly kind: 'watch';
      readonly number: string;
      readonly before: string | undefined;
      readonly after: string | undefined;
    }
  | { readonly kind: 'step' }
  /** By gdb, which was told to. */
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'signal'; readonly name: string; readonly meaning: string }
  /** The process has ended; by a signal, where there is one. */
  | { readonly kind: 'end'; readonly signal: string | undefined }
  | { readonly kind: 'other' };

export function stopOf(results: MiTuple): GdbStop {
  return {
    thread: results['thread-id'] === undefined ? undefined : integer(results, 'thread-id'),
    stoppedThreads: results['stopped-threads'] === 'all' ? 'all' : texts(results, 'stopped-threads').map(Number),
    cause: causeOf(results),
    address: results.frame === undefined ? undefined : optionalText(tuple(results, 'frame'), 'addr'),
  };
}

function causeOf(results: MiTuple): GdbStopCause | undefined {
  switch (optionalText(results, 'reason')) {
    case undefined:
      return undefined;
    case 'breakpoint-hit':
      return { kind: 'breakpoint', number: optionalText(results, 'bkptno') ?? '' };
    case 'watchpoint-trigger':
    case 'read-watchpoint-trigger':
    case 'access-watchpoint-trigger':
      return watchOf(results);
    case 'end-stepping-range':
    case 'function-finished':
    case 'location-reached':
      return { kind: 'step' };
    case 'signal-received': {
      const name = optionalText(results, 'signal-name') ?? '0';
      if (name === '0' || name === 'SIGINT') return { kind: 'interrupt' };
      return { kind: 'signal', name, meaning: optionalText(results, 'signal-meaning') ?? '' };
    }
    case 'exited':
    case 'exited-normally':
    case 'exited-signalled':
      return { kind: 'end', signal: optionalText(results, 'signal-name') };
    default:
      return { kind: 'other' };
  }
}

function watchOf(results: MiTuple): GdbStopCause {
  const which = ['wpt', 'hw-rwpt', 'hw-awpt'].find((name) => results[name] !== undefined);
  const number = which === undefined ? '' : text(tuple(results, which), 'number');
  const values = results.value === undefined ? {} : tuple(results, 'value');
  const valueIn = (name: string): string | undefined => {
    const written = optionalText(values, name);
    return written === undefined ? undefined : withShortestNumbers(written);
  };
  return { kind: 'watch', number, before: valueIn('old'), after: valueIn('new') ?? valueIn('value') };
}
