/** What is known of the item that is selected, with ways to its source line and its communicator. */
import * as l10n from '@vscode/l10n';
import type { FromTimeline, TimelineItem } from '../timeline/timeline-messages';
import { button, element } from './kit/elements';
import type { Selection } from './timeline-view';

/** The keys of the canvas. */
export function keys(): string {
  return l10n.t('Arrow keys go from record to record, plus and minus zoom, shift and arrow keys move, 0 shows all.');
}

export function textOf({ lane, item }: Selection, now: number): string {
  return l10n.t('rank {0}: {1}, {2}', lane.rank, item.words, timeOf(item, now));
}

export function detailsOf(
  selection: Selection | undefined,
  now: number,
  post: (message: FromTimeline) => void,
): HTMLElement[] {
  if (selection === undefined)
    return [
      element(
        'p',
        { class: 'quiet' },
        l10n.t('Select a call, an event or an OpenMP region to see what it is. {0}', keys()),
      ),
    ];
  const { lane, item } = selection;
  const { words, place, source, comm } = item;
  const { rank, thread } = lane;
  return [
    element('h2', {}, words),
    element(
      'p',
      {},
      place === undefined
        ? l10n.t('rank {0}, thread {1}, {2}', rank, thread, timeOf(item, now))
        : l10n.t('rank {0}, thread {1}, {2}, at {3}', rank, thread, timeOf(item, now), place),
    ),
    element(
      'div',
      { class: 'tools' },
      ...(source === undefined
        ? []
        : [button(l10n.t('Open {0}', place ?? source.file), () => post({ kind: 'source', rank, ...source }))]),
      ...(comm === undefined
        ? []
        : [button(l10n.t('Show the communicator'), () => post({ kind: 'comm', rank, handle: comm }))]),
    ),
  ];
}

function timeOf({ begin, end, isMoment, droppedSince }: TimelineItem, now: number): string {
  if (droppedSince !== undefined) return l10n.t('some time between {0} and {1}', atText(droppedSince), atText(begin));
  if (isMoment === true) return l10n.t('at {0}', atText(begin));
  return end === undefined
    ? l10n.t('from {0}, not ended, for {1} so far', atText(begin), secondsText(Math.max(0, now - begin)))
    : l10n.t('from {0}, {1}', atText(begin), secondsText(end - begin));
}

function atText(time: number): string {
  return `${time.toFixed(6)} s`;
}

function secondsText(seconds: number): string {
  if (seconds < 1e-3) return `${(seconds * 1e6).toFixed(1)} µs`;
  return seconds < 1 ? `${(seconds * 1e3).toFixed(2)} ms` : `${seconds.toFixed(2)} s`;
}
