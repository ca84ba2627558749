/** The MPI Events view: what the MPI library has raised last in the ranks of the focus, the newest first. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { mergeEqual } from '../../plugin-api/answers/merge';
import { eventData, objectOfEvent } from '../../plugin-api/answers/text/event-words';
import { eventNotes, typeText } from '../../plugin-api/answers/text/events-text';
import type { Integer } from '../../plugin-api/mpi/records';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { MpiTEvent, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import { nameInSet, type RankName } from '../ranks/rank-numbers';
import { nameOfId, wordsOfRanks } from '../ranks/rank-text';
import { failureRows } from './failure-rows';
import type { Row } from './row';

const shownOfRank = 100;

export async function eventRows(job: JobClient): Promise<Row[]> {
  const document = await job.events(shownOfRank);
  const notes = mergeEqual(overlaysOf(document).flatMap((rank) => eventNotes(rank).map((text) => ({ rank, text }))));
  return [
    ...document.ranks.flatMap((rank, index): Row[] => {
      return 'error' in rank ? [] : rankRows(rank, `rank ${index}`, nameOfId(rank));
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
  const sum = (numbers: readonly Integer[]): number => numbers.reduce((total: number, each) => total + Number(each), 0);
  const total = sum(eventTypes.map(({ raised }) => raised));
  const dropped = sum(eventTypes.map((type) => type.dropped));
  const prefix = commonPrefix(eventTypes.map(({ name }) => name));
  const busy = eventTypes.filter((type) => type.raised !== 0 || type.dropped !== 0);
  return [
    {
      ...{ id, label, isOpen: true },
      description:
        dropped === 0 ? eventCount(total) : l10n.t('{0}, {1} dropped by the library', eventCount(total), dropped),
      tooltip: [label, ...busy.map((type) => `${type.name}: ${typeText(type)}`)].join('\n'),
      children: eventsWithIds(events, id)
        .map(([event, own]) => ({ ...eventRow(event, own, nameInSet(rank)), label: event.type.slice(prefix) }))
        .toReversed(),
    },
  ];
}

function eventCount(count: number): string {
  return count === 1 ? l10n.t('1 event') : l10n.t('{0} events', count);
}

/** How long the words are with which all names begin: "ompi.mpi." would leave a narrow view no room for the rest. */
function commonPrefix(names: readonly string[]): number {
  const [first = ''] = names;
  for (let end = first.lastIndexOf('.') + 1; end > 0; end = first.lastIndexOf('.', end - 2) + 1)
    if (names.every((name) => name.startsWith(first.slice(0, end)))) return end;
  return 0;
}

/** Events of a source whose clock is slow have the same time. */
function eventsWithIds(events: readonly MpiTEvent[], id: string): [MpiTEvent, string][] {
  const known = new Map<string, number>();
  return events.map((event) => {
    const { time, thread, type, dropped } = event;
    const key = `${id}/${time}/${thread}/${type}${dropped === undefined ? '' : '/dropped'}`;
    const count = (known.get(key) ?? 0) + 1;
    known.set(key, count);
    return [event, count === 1 ? key : `${key}/${count}`];
  });
}

function eventRow(event: MpiTEvent, id: string, rank: RankName | undefined): Row {
  const { type, time, dropped } = event;
  const object = objectOfEvent(event);
  return {
    ...{ id, label: type, description: `${time.toFixed(6)} s  ${eventData(event)}` },
    tooltip: [`${type}: ${eventData(event)}`, whenRaised(event, rank)].join('\n'),
    ...(dropped === undefined ? {} : noticeOf(type, dropped)),
    ...(object?.kind !== 'comm' || rank === undefined
      ? {}
      : { context: 'event comm' as const, comm: { rank, handle: object.handle } }),
  };
}

function whenRaised({ time, thread, source }: MpiTEvent, rank: RankName | undefined): string {
  const [by, at] = [source || l10n.t('an unknown source'), time.toFixed(6)];
  return rank === undefined
    ? l10n.t('raised by {0} in thread {1}, {2} s after the collector began', by, thread, at)
    : l10n.t('raised by {0} in thread {1}, {2} s after the collector of rank {3} began', by, thread, at, rank);
}

/** The row for dropped events. */
function noticeOf(type: string, dropped: Integer): Partial<Row> {
  return {
    icon: new vscode.ThemeIcon('warning'),
    iconText: l10n.t('lost'),
    tooltip:
      dropped === 1
        ? l10n.t(
            'The MPI library had no room or no callback for an event of {0} and dropped them before this time: they are not in this list',
            type,
          )
        : l10n.t(
            'The MPI library had no room or no callback for {1} events of {0} and dropped them before this time: they are not in this list',
            type,
            dropped,
          ),
  };
}
