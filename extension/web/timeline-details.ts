/** What is known of the item that is selected, with ways to its source line and its communicator. */
import type { FromTimeline, TimelineItem } from '../timeline/timeline-messages';
import { button, element } from './kit/elements';
import type { Selection } from './timeline-view';

export function textOf({ lane, item }: Selection, now: number): string {
  return `rank ${lane.rank}: ${item.words}, ${timeOf(item, now)}`;
}

export function detailsOf(
  selection: Selection | undefined,
  now: number,
  post: (message: FromTimeline) => void,
): HTMLElement[] {
  if (selection === undefined)
    return [element('p', { class: 'quiet' }, 'Select a call, an event or an OpenMP region to see what it is.')];
  const { lane, item } = selection;
  const { words, place, source, comm } = item;
  const { rank, thread } = lane;
  return [
    element('h2', {}, words),
    element(
      'p',
      {},
      `rank ${rank}, thread ${thread}, ${timeOf(item, now)}`,
      place === undefined ? '' : `, at ${place}`,
    ),
    element(
      'div',
      { class: 'tools' },
      ...(source === undefined ? [] : [button(`Open ${place}`, () => post({ kind: 'source', rank, ...source }))]),
      ...(comm === undefined
        ? []
        : [button('Show the communicator', () => post({ kind: 'comm', rank, handle: comm }))]),
    ),
  ];
}

function timeOf({ begin, end, isMoment, droppedSince }: TimelineItem, now: number): string {
  if (droppedSince !== undefined) return `between ${atText(droppedSince)} and ${atText(begin)}`;
  if (isMoment === true) return `at ${atText(begin)}`;
  const duration =
    end === undefined ? `not ended, for ${secondsText(Math.max(0, now - begin))} so far` : secondsText(end - begin);
  return `from ${atText(begin)}, ${duration}`;
}

function atText(time: number): string {
  return `${time.toFixed(6)} s`;
}

function secondsText(seconds: number): string {
  if (seconds < 1e-3) return `${(seconds * 1e6).toFixed(1)} µs`;
  return seconds < 1 ? `${(seconds * 1e3).toFixed(2)} ms` : `${seconds.toFixed(2)} s`;
}
