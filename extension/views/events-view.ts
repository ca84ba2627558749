/** The MPI Events view: what the MPI library has raised last in the ranks of the focus, the newest first. */
import * as vscode from 'vscode';
import { mergeEqual } from '../../adapter/query/across-ranks/merge';
import { eventData } from '../../adapter/text/event-words';
import { eventNotes } from '../../adapter/text/events-text';
import { overlaysOf } from '../../adapter/text/overlay-ranks';
import type { MpiTEvent, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import { wordsOfRanks } from '../ranks/rank-text';
import { failureRows } from './failure-rows';
import type { Row } from './row';

const shownOfRank = 100;

export async function eventRows(job: JobClient): Promise<Row[]> {
  const document = await job.events(shownOfRank);
  const notes = mergeEqual(overlaysOf(document).flatMap((rank) => eventNotes(rank).map((text) => ({ rank, text }))));
  return [
    ...document.ranks.flatMap((rank, index): Row[] => {
      const label = rank.rank === null ? `pid ${rank.pid ?? '?'}` : `rank ${rank.rank}`;
      const id = `rank ${index}`;
      return 'error' in rank ? [] : rankRows(rank, id, label);
    }),
    ...failureRows(document.ranks),
    ...notes.map(({ ranks, text }, index) => ({
      ...{ id: `note ${index}`, label: text, description: wordsOfRanks(ranks) },
      icon: new vscode.ThemeIcon('info'),
    })),
  ];
}

/** None for a rank whose library raises no events: a note says so. */
function rankRows(rank: RankOverlay, id: string, label: string): Row[] {
  const { eventTypes } = rank;
  if (eventTypes === undefined || isUnavailable(eventTypes) || eventTypes.length === 0) return [];
  const events = rank.events === undefined || isUnavailable(rank.events) ? [] : rank.events;
  const total = eventTypes.reduce((sum, { raised }) => sum + Number(raised), 0);
  return [
    {
      ...{ id, label, isOpen: true, description: total === 1 ? '1 event' : `${total} events` },
      children: events.toReversed().map((event) => eventRow(event, id)),
    },
  ];
}

function eventRow(event: MpiTEvent, id: string): Row {
  const { type, time, thread, source } = event;
  return {
    ...{ id: `${id}/${time}/${thread}/${type}`, label: type, description: `${time.toFixed(6)} s  ${eventData(event)}` },
    tooltip: `${type} of ${source}, thread ${thread}`,
  };
}
