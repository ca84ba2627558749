/** The MPI Events view: what the MPI library has raised last in the ranks of the focus, the newest first. */
import * as vscode from 'vscode';
import { eventData } from '../../adapter/text/event-words';
import { eventNotes } from '../../adapter/text/events-text';
import type { MpiTEvent, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import type { Row } from './row';

const shownOfRank = 100;

export async function eventRows(job: JobClient): Promise<Row[]> {
  const { ranks } = await job.events(shownOfRank);
  return ranks.map((rank, index) => {
    const label = rank.rank === null ? `pid ${rank.pid ?? '?'}` : `rank ${rank.rank}`;
    const id = `rank ${index}`;
    return 'error' in rank ? { id, label, description: rank.error.reason } : rankRow(rank, id, label);
  });
}

function rankRow(rank: RankOverlay, id: string, label: string): Row {
  const events = rank.events === undefined || isUnavailable(rank.events) ? [] : rank.events;
  return {
    ...{ id, label, isOpen: true, description: totalOf(rank) },
    children: [
      ...eventNotes(rank).map((text, index) => ({
        ...{ id: `${id}/note ${index}`, label: text },
        icon: new vscode.ThemeIcon('info'),
      })),
      ...events.toReversed().map((event) => eventRow(event, id)),
    ],
  };
}

/** "12 events" */
function totalOf({ eventTypes }: RankOverlay): string {
  if (eventTypes === undefined || isUnavailable(eventTypes)) return '';
  const total = eventTypes.reduce((sum, { raised }) => sum + Number(raised), 0);
  return total === 1 ? '1 event' : `${total} events`;
}

function eventRow(event: MpiTEvent, id: string): Row {
  const { type, time, thread, source } = event;
  return {
    ...{ id: `${id}/${time}/${thread}/${type}`, label: type, description: `${time.toFixed(6)} s  ${eventData(event)}` },
    tooltip: `${type} of ${source}, thread ${thread}`,
  };
}
