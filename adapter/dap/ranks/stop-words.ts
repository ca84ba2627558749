/** What `stopped` says of a stop. */
import type { FloatKind } from '../../../plugin-api/deaths/death';
import { namedRanks } from '../../../plugin-api/mpi/rank-names';
import { trapText } from '../../gdb/float-control';
import { formatRanks } from '../../../plugin-api/answers/rank-set';
import type { Rank, RankThread, ThreadStop } from '../../job/rank';
import type { RankStop } from '../../job/rank-stops';
import type { EventBodies } from '../client/connection';

/** The stopped event of a thread, as if it had just stopped. */
export function stopOf(thread: RankThread): EventBodies['stopped'] {
  const { stop = unasked } = thread;
  return {
    reason: thread.stop === undefined ? 'pause' : dapReason(thread.stop),
    description: describeStops([{ rank: thread.rank, thread, stop }]),
    badge: badgeOf(stop),
    threadId: thread.id,
  };
}

const dapReasons: Record<ThreadStop['reason'], string> = {
  entry: 'entry',
  breakpoint: 'breakpoint',
  step: 'step',
  pause: 'pause',
  signal: 'exception',
  death: 'exception',
  attach: 'pause',
  unknown: 'pause',
};

/** A thread that only stopped because its rank did. */
export const unasked: ThreadStop = { reason: 'unknown', breakpoints: [] };

/** DAP names the sort of the breakpoint. */
export function dapReason({ reason, breakpoints: [breakpoint] }: ThreadStop): string {
  if (reason !== 'breakpoint' || breakpoint === undefined) return dapReasons[reason];
  if (breakpoint.kind === 'exception') return 'exception';
  return breakpoint.kind === 'line' ? 'breakpoint' : `${breakpoint.kind} breakpoint`;
}

const words: Record<ThreadStop['reason'], string> = {
  entry: 'entry',
  breakpoint: 'breakpoint',
  step: 'step',
  pause: 'paused',
  signal: 'signal',
  death: 'exception',
  attach: 'attached',
  unknown: 'stopped',
};

const floatWords: Record<FloatKind, string> = {
  invalid: 'invalid operation',
  zero: 'division by zero',
  overflow: 'overflow',
};

/** "ranks 0-2: breakpoint; rank 3: SIGSEGV (Segmentation fault)" */
export function describeStops(stops: readonly RankStop[]): string {
  const byReason = new Map<string, Rank[]>();
  for (const { rank, stop } of stops) {
    const reason =
      stop.words ??
      (stop.floatingPoint && trapText(stop.floatingPoint)) ??
      (stop.signal === undefined ? describeReason(stop) : describeSignal(stop.signal));
    byReason.set(reason, [...(byReason.get(reason) ?? []), rank]);
  }
  return [...byReason].map(([reason, ranks]) => `${describeRankList(ranks)}: ${reason}`).join('; ');
}

const badges: Readonly<Record<string, string>> = {
  'mpi-error': 'MPI error',
  'mpi-error-returned': 'MPI error',
  'mpi-abort': 'MPI_Abort',
  'exit-without-finalize': 'exit',
  sanitizer: 'sanitizer',
};

/** "breakpoint", "SIGSEGV": beside the name of the rank. */
export function badgeOf(stop: ThreadStop): string {
  if (stop.floatingPoint !== undefined) return floatWords[stop.floatingPoint.kind];
  return (
    stop.signal?.name ??
    badges[stop.death?.kind ?? ''] ??
    describeReason({ ...stop, change: undefined, unevaluated: undefined })
  );
}

/** "breakpoint", "C++ throw", "data breakpoint, 3 → 4" */
function describeReason({ reason, breakpoints, change, unevaluated }: ThreadStop): string {
  if (unevaluated !== undefined) return `${words[reason]}, whose condition cannot be evaluated: ${unevaluated}`;
  const event = breakpoints.find(({ cxxEvent }) => cxxEvent !== undefined)?.cxxEvent;
  if (event !== undefined) return `C++ ${event}`;
  if (change === undefined) return words[reason];
  const values = [change.before, change.after].filter((value) => value !== undefined);
  return `data breakpoint${values.length === 0 ? '' : `, ${values.join(' → ')}`}`;
}

function describeRankList(ranks: readonly Rank[]): string {
  const others = ranks.flatMap((rank) => (rank.number === null ? [rank.label] : []));
  return [...(others.length === ranks.length ? [] : [namedRanks(formatRanks(ranks))]), ...others].join(', ');
}

export function describeSignal({ name, meaning }: { name: string; meaning: string }): string {
  return meaning === '' ? name : `${name} (${meaning})`;
}
