/**
 * Events, calls and what OpenMP tells as a trace in Chrome's Trace Event Format (JSON object format), which Perfetto and chrome://tracing open: a rank is a
 * process, an event an instant of a thread, and a call what a thread does for a while. All times are microseconds since the first collector of all ranks began.
 */
import { ranksInWords } from '../../mpi/rank-names';
import type { Known } from '../../mpi/records';
import type { MpiTEvent, OverlayDocument, RankOverlay, ToldCall } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { omptTrace } from './ompt-trace';
import { overlaysOf } from '../text/overlay-ranks';
import type { TraceEvent } from './trace-event';

export interface Trace {
  displayTimeUnit: 'ns';
  traceEvents: TraceEvent[];
}

export function traceOf(document: OverlayDocument): Trace {
  const ranks = overlaysOf(document).filter((rank) => !isUnavailable(rank.collector));
  const first = Math.min(...ranks.map(startOf));
  const hasWorlds = new Set(ranks.map(({ world }) => world)).size > 1;
  const pidOf = (rank: RankOverlay, i: number): number => (hasWorlds ? i : (rank.rank ?? rank.pid ?? i));
  return {
    displayTimeUnit: 'ns',
    traceEvents: ranks.flatMap((rank, i) => eventsOf(rank, pidOf(rank, i), (startOf(rank) - first) * 1000)),
  };
}

/** Milliseconds. */
function startOf({ collector }: RankOverlay): number {
  return isUnavailable(collector) ? 0 : Date.parse(collector.clock.start);
}

/** `pid`: what a viewer takes for the number of a process. `offset`: microseconds. */
function eventsOf(rank: RankOverlay, pid: number, offset: number): TraceEvent[] {
  const { events, calls, ompt } = rank;
  const name = `${ranksInWords([rank])} on ${rank.host}`;
  return [
    { ph: 'M', name: 'process_name', pid, args: { name } },
    { ph: 'M', name: 'process_sort_index', pid, args: { sort_index: pid } },
    ...listOf(events).map((event) => instantOf(event, pid, offset)),
    ...(ompt === undefined || isUnavailable(ompt) ? [] : omptTrace(ompt.records, pid, offset)),
    ...listOf(calls).flatMap(({ thread, calls: of }) => of.map((call) => lastingOf(call, thread, pid, offset))),
  ];
}

function instantOf(event: MpiTEvent, pid: number, offset: number): TraceEvent {
  const { type, source, time, thread, elements, dropped, registeredOn, refersTo } = event;
  const object = refersTo ?? registeredOn;
  return {
    ...{
      ph: 'i',
      s: 't',
      name: dropped === undefined ? type : `${type} dropped`,
      cat: source === '' ? 'MPI_T' : source,
    },
    ...{ ts: offset + time * 1e6, pid, tid: thread },
    args: {
      ...Object.fromEntries(elements.map(({ name, value }, i) => [name ?? `element ${i}`, value])),
      ...(object === undefined ? {} : { object: object.name ?? object.handle }),
      ...(dropped === undefined ? {} : { dropped }),
    },
  };
}

function lastingOf(call: ToldCall, thread: number, pid: number, offset: number): TraceEvent {
  const { name, begin, end, comm, peer, tag, root, bytes, instance, repeated, error } = call;
  const told = { comm: comm?.name ?? comm?.handle, peer, tag, root, bytes, instance, repeated, error };
  const args = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  const common = { name, cat: 'MPI', ts: offset + begin * 1e6, pid, tid: thread, args };
  return end === undefined ? { ph: 'B', ...common } : { ph: 'X', ...common, dur: (end - begin) * 1e6 };
}

function listOf<T>(all: Known<T[]> | undefined): T[] {
  return all === undefined || isUnavailable(all) ? [] : all;
}
