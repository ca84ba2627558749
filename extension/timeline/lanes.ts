/** The lanes of the timeline: one for each thread, with its items in the order of time and what is missing between them. */
import { compareNames, type RankName } from '../ranks/rank-numbers';
import type { ThreadItems, TimelineItem } from './timeline-messages';

/** The limit for a thread; when there are more, the oldest are dropped, so many at a time. */
const maxItems = 5000;
const surplus = 1000;

export interface Lane {
  rank: RankName;
  thread: number;
  /** By the time of their begin. Calls do not nest. */
  calls: TimelineItem[];
  openmp: TimelineItem[];
  events: TimelineItem[];
  /** How many of OpenMP's are inside one another, by item and at most. */
  depths: number[];
  maxDepth: number;
  gaps: { from: number; to: number }[];
}

export class Lanes {
  /** By rank and thread; the first thread of a rank is the one that was seen first. */
  readonly all: Lane[] = [];
  first = Infinity;
  /** Until then, all is known of all ranks. */
  now = 0;

  add(rank: RankName, threads: readonly ThreadItems[]): void {
    for (const { thread, items, lostBefore } of threads) {
      const lane = this.laneOf(rank, thread);
      if (lostBefore !== undefined) addGap(lane, lostBefore);
      for (const item of items) {
        insert(lane[listOf[item.sort]], item);
        this.first = Math.min(this.first, item.begin);
      }
      for (const list of [lane.calls, lane.openmp, lane.events]) dropOldest(lane, list);
      layOut(lane);
    }
  }

  clear(): void {
    this.all.length = 0;
    this.first = Infinity;
    this.now = 0;
  }

  private laneOf(rank: RankName, thread: number): Lane {
    const known = this.all.find((lane) => lane.rank === rank && lane.thread === thread);
    if (known !== undefined) return known;
    const lane = { rank, thread, calls: [], openmp: [], events: [], depths: [], maxDepth: 0, gaps: [] };
    const after = this.all.findIndex((each) => compareNames(each.rank, rank) > 0);
    this.all.splice(after === -1 ? this.all.length : after, 0, lane);
    return lane;
  }
}

const listOf = { call: 'calls', openmp: 'openmp', event: 'events' } as const;

/** The index of the first item that begins then or later. */
export function indexAt(items: readonly TimelineItem[], time: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.begin < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A record that comes again, such as a call that has ended since, replaces the earlier one; moments come only once. */
function insert(items: TimelineItem[], item: TimelineItem): void {
  let at = indexAt(items, item.begin);
  for (; items[at]?.begin === item.begin; at++) {
    if (item.isMoment === true || items[at]!.name !== item.name) continue;
    if (item.end !== undefined) items[at] = item;
    return;
  }
  items.splice(at, 0, item);
}

/** From the last item that was known before. */
function addGap(lane: Lane, to: number): void {
  const before = [lane.calls, lane.openmp, lane.events].flatMap((items) => items[indexAt(items, to) - 1] ?? []);
  const from = Math.max(...before.map(({ begin, end }) => end ?? begin), -Infinity);
  if (from < to) lane.gaps.push({ from, to });
}

function dropOldest(lane: Lane, items: TimelineItem[]): void {
  if (items.length <= maxItems + surplus) return;
  items.splice(0, items.length - maxItems);
  lane.gaps.push({ from: -Infinity, to: items[0]!.begin });
}

function layOut(lane: Lane): void {
  const ends: number[] = [];
  lane.depths = lane.openmp.map(({ begin, end, isMoment }) => {
    while (ends.length > 0 && ends.at(-1)! <= begin) ends.pop();
    const depth = ends.length;
    if (isMoment !== true) ends.push(end ?? Infinity);
    return depth;
  });
  lane.maxDepth = lane.depths.reduce((most, depth) => Math.max(most, depth + 1), 0);
}
