/** Events of MPI_T as rows of CSV (RFC 4180). */
import type { MpiTEvent, OverlayDocument } from '../../overlays/records';
import { isUnavailable } from '../../result';
import { csvCell } from './csv-cell';
import { eventData } from '../text/event-words';
import { overlaysOf, rankCell } from '../text/overlay-ranks';

export const eventsHeading = 'rank,time,source,type,elements\n';

/** The events of all ranks where they are known, by rank and then by time. */
export function eventRows(document: OverlayDocument): string {
  return overlaysOf(document)
    .flatMap(({ rank, world, events }) =>
      events === undefined || isUnavailable(events) ? [] : events.map((event) => row(rankCell(rank, world), event)),
    )
    .join('');
}

function row(rank: string, event: MpiTEvent): string {
  const { time, source, type } = event;
  return `${[rank, time.toFixed(9), csvCell(source), csvCell(type), csvCell(eventData(event))].join()}\n`;
}
