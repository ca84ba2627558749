/** What a rank's collector tells, as items of the timeline. Begins and ends of OpenMP may come in different answers. */
import { callWords, placeText } from '../../plugin-api/answers/text/calls-text';
import { eventData, objectOfEvent } from '../../plugin-api/answers/text/event-words';
import { omptTrace, type OpenRecords } from '../../plugin-api/answers/trace/ompt-trace';
import type { TraceEvent } from '../../plugin-api/answers/trace/trace-event';
import { groupedBy } from '../../plugin-api/grouped-by';
import type { CodeRef } from '../../plugin-api/mpi/code-ref';
import type { MpiTEvent, RankOverlay, ToldCall } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { ThreadItems, TimelineItem } from './timeline-messages';

type Threaded = TimelineItem & { thread: number };

export class RankFeed {
  private readonly open: OpenRecords = new Map();
  /** When the last event of each type that was delivered was raised, or a notice of dropped ones came. */
  private readonly latest = new Map<string, number>();

  /** `offset`: seconds from the zero of the timeline to that of the rank's clock. */
  constructor(readonly offset: number) {}

  take({ calls, events, ompt, lost = [] }: RankOverlay): ThreadItems[] {
    const items: Threaded[] = [
      ...(calls === undefined || isUnavailable(calls)
        ? []
        : calls.flatMap(({ thread, calls: of }) => of.map((call) => ({ thread, ...this.ofCall(call) })))),
      ...(events === undefined || isUnavailable(events) ? [] : asDelivered(events).map((event) => this.ofEvent(event))),
      ...(ompt === undefined || isUnavailable(ompt)
        ? []
        : omptTrace(ompt.records, 0, this.offset * 1e6, this.open).flatMap(ofTrace)),
    ];
    const byThread = groupedBy(items, ({ thread }) => thread);
    const threads = new Set([...byThread.keys(), ...lost.map(({ thread }) => thread)]);
    return [...threads].map((thread) => {
      const gap = lost.find((each) => each.thread === thread);
      return {
        thread,
        items: (byThread.get(thread) ?? []).map(({ thread: _, ...item }) => item),
        ...(gap === undefined ? {} : { lostBefore: gap.before + this.offset }),
      };
    });
  }

  private ofCall(call: ToldCall): TimelineItem {
    const { name, begin, end, code, comm } = call;
    return {
      ...{ name, sort: 'call', begin: begin + this.offset, words: callWords(call) },
      ...(end === undefined ? {} : { end: end + this.offset }),
      ...placeOf(code),
      ...(comm === undefined ? {} : { comm: comm.handle }),
    };
  }

  private ofEvent(event: MpiTEvent): Threaded {
    const { type, time, thread, dropped, registeredOn } = event;
    const object = objectOfEvent(event);
    // Each registration has its own events and notices.
    const key = `${type} ${registeredOn?.handle ?? ''}`;
    const since = this.latest.get(key) ?? 0;
    this.latest.set(key, time);
    return {
      ...{ thread, name: type, sort: 'event', begin: time + this.offset, isMoment: true },
      ...(dropped === undefined ? {} : { droppedSince: Math.min(since, time) + this.offset }),
      words: [type, eventData(event)].filter((part) => part !== '').join(': '),
      ...(object?.kind === 'comm' ? { comm: object.handle } : {}),
    };
  }
}

/** A notice of dropped events comes before the next event of its type, which may have been raised earlier. */
function asDelivered(events: readonly MpiTEvent[]): MpiTEvent[] {
  const when = ({ delivered, time }: MpiTEvent): number => delivered ?? time;
  return events.toSorted((a, b) => when(a) - when(b));
}

function placeOf(code: CodeRef | undefined): Partial<TimelineItem> {
  if (code === undefined) return {};
  const { file, line } = code;
  return { place: placeText(code), ...(file === undefined || line === undefined ? {} : { source: { file, line } }) };
}

function ofTrace(event: TraceEvent): Threaded[] {
  if (event.ph === 'M') return [];
  const { name, ts, tid, args } = event;
  const { place, file, line, ...fields } = args;
  const begin = ts / 1e6;
  return [
    {
      ...{ thread: tid, name, sort: 'openmp', begin },
      ...(event.ph === 'X' ? { end: begin + event.dur / 1e6 } : {}),
      ...(event.ph === 'i' ? { isMoment: true } : {}),
      words: [name, ...Object.entries(fields).map(([field, value]) => `${field} ${String(value)}`)].join(', '),
      ...(typeof place === 'string' ? { place } : {}),
      ...(typeof file === 'string' && typeof line === 'number' ? { source: { file, line } } : {}),
    },
  ];
}
