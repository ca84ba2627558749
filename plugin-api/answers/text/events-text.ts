/** Events of MPI_T as people read them: what raises them, the types with their totals, and the last events. */
import { groupedBy } from '../../grouped-by';
import type { Known, RankId } from '../../mpi/records';
import type { EventSource, EventType, MpiTEvent, OverlayDocument, RankOverlay } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { describeRanks, mergeEqual } from '../merge';
import { eventData } from './event-words';
import { innermostCategories, noCategory } from './overlay-categories';
import { overlaysOf } from './overlay-ranks';
import { failedLines, table, widest } from './rank-table';

/** `full`: with what sources and types are in the library's words. */
export function eventsText(document: OverlayDocument, full: boolean): string {
  const told = overlaysOf(document);
  const notes = told.flatMap((rank) => eventNotes(rank).map((text) => ({ rank, text })));
  return visibleListing([
    ...sourceLines(told, full),
    ...typeLines(told, full),
    ...lastLines(told),
    ...table(mergeEqual(notes)),
    ...failedLines(document),
  ]);
}

interface Row {
  rank: RankId;
  title: string;
  text: string;
}

function titled(rows: readonly Row[], indent: string): string[] {
  return [...groupedBy(rows, ({ title }) => title)].flatMap(([title, of]) => [
    `${indent}${title}`,
    ...table(mergeEqual(of)).map((line) => `${indent}${line}`),
  ]);
}

function sourceLines(told: readonly RankOverlay[], full: boolean): string[] {
  const rows = told.flatMap((rank) =>
    listOf(rank.sources).map((source) => ({
      rank,
      title: full ? `${source.name}: ${source.description}` : source.name,
      text: sourceText(source),
    })),
  );
  return rows.length === 0 ? [] : ['sources', ...titled(rows, '  ')];
}

function sourceText({ ordering, ticksPerSecond, dropped, hints }: EventSource): string {
  const order = ordering === 'ORDERED' ? 'in the order of time' : 'in any order';
  return [order, `${ticksPerSecond} ticks a second`, ...droppedWords(dropped), ...hintWords(hints)].join(', ');
}

function typeLines(told: readonly RankOverlay[], full: boolean): string[] {
  const rows = told.flatMap((rank) => {
    const categories = innermostCategories(rank.categories, 'events');
    return listOf(rank.eventTypes).map((type) => ({
      ...{ rank, category: categories.get(type.name) ?? noCategory },
      ...{ title: full ? `${type.name}: ${type.description}` : type.name, text: typeText(type) },
    }));
  });
  return [...groupedBy(rows, ({ category }) => category)].flatMap(([category, of]) => [category, ...titled(of, '  ')]);
}

/** `9 raised, 7 dropped by the library`. */
export function typeText({ raised, dropped, hints, registrations }: EventType): string {
  const isOff = registrations.length === 0 ? ['not asked for'] : [];
  return [`${raised} raised`, ...droppedWords(dropped), ...isOff, ...hintWords(hints)].join(', ');
}

/** None: nothing was dropped. */
function droppedWords(dropped: EventSource['dropped']): string[] {
  return dropped === 0 ? [] : [`${dropped} dropped by the library`];
}

function hintWords(hints: EventType['hints']): string[] {
  return (hints ?? []).map(({ key, value }) => `${key}=${value}`);
}

/** The last lines of each rank in the order of time, because clocks of different hosts are not the same. */
function lastLines(told: readonly RankOverlay[]): string[] {
  const rows = told.flatMap((rank) => listOf(rank.events).map((event) => cellsOf(rank, event)));
  if (rows.length === 0) return [];
  const widths = [0, 1, 2].map((column) => widest(rows.map((row) => row[column]!)));
  const lines = rows.map(([rank, time, type, data]) =>
    `  ${rank.padEnd(widths[0]!)}  ${time.padStart(widths[1]!)}  ${type.padEnd(widths[2]!)}  ${data}`.trimEnd(),
  );
  return ['last events (rank, seconds since its collector began)', ...lines];
}

function cellsOf(rank: RankId, event: MpiTEvent): [rank: string, time: string, type: string, data: string] {
  return [describeRanks([rank]), event.time.toFixed(6), event.type, eventData(event)];
}

function listOf<T>(all: Known<T[]> | undefined): T[] {
  return all === undefined || isUnavailable(all) ? [] : all;
}

/** What a list of events does not show, and why. */
export function eventNotes({ collector, events, eventTypes }: RankOverlay): string[] {
  if (events !== undefined && isUnavailable(events)) return [events.reason];
  if (isUnavailable(collector)) return [collector.reason];
  const types = listOf(eventTypes);
  const none = types.length === 0 ? ['the MPI library has no such events'] : [];
  const names = new Set(types.map(({ name }) => name));
  const denied = collector.denied.filter(({ name }) => names.has(name)).map(({ name, reason }) => `${name}: ${reason}`);
  const lost = collector.overwritten === 0 ? [] : [`${collector.overwritten} older records were overwritten`];
  return [...none, ...denied, ...lost];
}
