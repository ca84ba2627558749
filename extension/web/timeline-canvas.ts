/** Draws the lanes that can be seen. Items that are narrower than a pixel are drawn once for each pixel. */
import * as l10n from '@vscode/l10n';
import { visible } from '../../plugin-api/visible-text';
import { indexAt, type Lane } from '../timeline/lanes';
import type { TimelineItem } from '../timeline/timeline-messages';
import { themeColor } from './kit/theme';
import { drawEvent, drawOpen, eventHeight, eventReach, hatch } from './timeline-marks';
import type { TimeRange } from './time-range';

const axisHeight = 24;
const labelWidth = 130;
const callHeight = 16;
const rowHeight = 11;
const laneGap = 6;

export interface Shown {
  lanes: readonly Lane[];
  now: number;
  isWanted: (item: TimelineItem) => boolean;
  selected: { lane: Lane; item: TimelineItem } | undefined;
}

/** By what a call does, so that waiting is seen at once. */
export const callSorts = [
  {
    text: () => l10n.t('waits, probes, tests'),
    pattern: /^MPI_(Wait|Test|Probe|Iprobe|Mprobe|Improbe)/,
    color: 'charts-yellow',
  },
  { text: () => l10n.t('receives'), pattern: /recv$/i, color: 'charts-blue' },
  { text: () => l10n.t('sends'), pattern: /send|^MPI_Start|^MPI_P(ready|arrived)/i, color: 'charts-green' },
  {
    text: () => l10n.t('collectives'),
    pattern: /^MPI_I?(Barrier|Bcast|Gather|Scatter|All|Reduce|Scan|Exscan|Neighbor)/,
    color: 'charts-purple',
  },
  {
    text: () => l10n.t('one-sided'),
    pattern: /^MPI_(Win|Put|Get$|R?Accumulate|Rput|Rget|Fetch|Compare)/,
    color: 'charts-red',
  },
] as const;

const otherCall = 'descriptionForeground';
/** Records that were overwritten, and events that the library dropped before anybody saw them. */
const lostHatch = { color: ['descriptionForeground'], direction: 1, step: 6 } as const;
const droppedHatch = { color: ['editorWarning-foreground', 'charts-yellow'], direction: -1, step: 4 } as const;
export const openmpColors = { work: 'terminal-ansiCyan', wait: 'charts-yellow' } as const;

function colorOf({ sort, name }: TimelineItem): string {
  if (sort === 'openmp') return themeColor(/wait|mutex_acquire/.test(name) ? openmpColors.wait : openmpColors.work);
  return themeColor(callSorts.find(({ pattern }) => pattern.test(name))?.color ?? otherCall);
}

export class TimelineCanvas {
  readonly canvas: HTMLCanvasElement;
  scroll = 0;
  private height = 0;
  private width = 0;
  private tops: number[] = [];

  constructor(
    canvas: HTMLCanvasElement,
    private readonly range: TimeRange,
  ) {
    this.canvas = canvas;
  }

  resize(width: number, height: number): void {
    [this.width, this.height] = [width, height];
    this.canvas.width = width * devicePixelRatio;
    this.canvas.height = height * devicePixelRatio;
    this.range.left = labelWidth;
    this.range.width = Math.max(50, width - labelWidth);
  }

  draw(shown: Shown): void {
    const context = this.canvas.getContext('2d');
    if (context === null) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = `12px ${themeColor('font-family')}`;
    context.textBaseline = 'middle';
    this.placeLanes(shown.lanes);
    shown.lanes.forEach((lane, i) => {
      const top = this.topOf(i);
      if (top + heightOf(lane) >= axisHeight && top < this.height) this.drawLane(context, lane, top, shown);
    });
    this.drawLabels(context, shown.lanes);
    this.drawAxis(context);
  }

  scrollBy(pixels: number): void {
    const content = axisHeight + (this.tops.at(-1) ?? 0);
    this.scroll = Math.max(0, Math.min(this.scroll + pixels, content - this.height));
  }

  /** True if not all lanes have room. */
  get scrolls(): boolean {
    return axisHeight + (this.tops.at(-1) ?? 0) > this.height;
  }

  reveal(index: number): void {
    const top = this.topOf(index);
    const bottom = top + (this.tops[index + 1] ?? 0) - (this.tops[index] ?? 0);
    if (top < axisHeight) this.scrollBy(top - axisHeight);
    else if (bottom > this.height) this.scrollBy(bottom - this.height);
  }

  laneAt(y: number): number {
    return y < axisHeight ? -1 : this.tops.findLastIndex((_, i) => this.topOf(i) <= y && i < this.tops.length - 1);
  }

  /** The innermost item under a point, or the nearest within some pixels; of events and calls, what is drawn on top. */
  itemAt(
    lane: Lane,
    index: number,
    x: number,
    y: number,
    isWanted: (item: TimelineItem) => boolean,
  ): TimelineItem | undefined {
    const inLane = y - this.topOf(index);
    const row = Math.floor((inLane - callHeight) / rowHeight);
    const nearest = (items: readonly TimelineItem[]): TimelineItem | undefined =>
      items
        .filter((item) => isWanted(item) && this.distance(item, x) <= eventReach)
        .sort((a, b) => this.distance(a, x) - this.distance(b, x))[0];
    if (inLane >= callHeight) return nearest(lane.openmp.filter((_, i) => lane.depths[i] === row));
    const layers = [lane.events, lane.calls];
    const [first, second] = inLane >= callHeight - eventHeight ? layers : layers.toReversed();
    return nearest(first!) ?? nearest(second!);
  }

  private distance({ begin, end, isMoment }: TimelineItem, x: number): number {
    const from = this.range.xOf(begin);
    const to = isMoment === true ? from : end === undefined ? Infinity : this.range.xOf(end);
    return x < from ? from - x : x > to ? x - to : 0;
  }

  private placeLanes(lanes: readonly Lane[]): void {
    this.tops = [0];
    for (const lane of lanes) this.tops.push(this.tops.at(-1)! + heightOf(lane));
    this.scrollBy(0);
  }

  private topOf(index: number): number {
    return axisHeight + (this.tops[index] ?? 0) - this.scroll;
  }

  private drawLane(context: CanvasRenderingContext2D, lane: Lane, top: number, shown: Shown): void {
    for (const gap of lane.gaps) this.drawGap(context, gap, top, callHeight, lostHatch);
    this.drawBars(context, lane.calls, () => top, callHeight, shown);
    this.drawBars(
      context,
      lane.openmp,
      (i) => top + callHeight + (lane.depths[i] ?? 0) * rowHeight,
      rowHeight - 1,
      shown,
    );
    this.drawEvents(context, lane.events, top + callHeight, shown);
    context.fillStyle = themeColor('editorIndentGuide-background1', 'descriptionForeground');
    context.fillRect(0, top + heightOf(lane) - laneGap / 2, this.width, 0.5);
    const { selected } = shown;
    if (selected?.lane !== lane) return;
    const { begin, end, isMoment, sort } = selected.item;
    const reach = sort === 'event' ? eventReach : 0;
    const from = this.range.xOf(begin) - reach;
    const to = isMoment === true ? from + 2 + 2 * reach : end === undefined ? this.width : this.range.xOf(end);
    const isBelow = sort === 'openmp';
    const row = isBelow ? (lane.depths[lane.openmp.indexOf(selected.item)] ?? 0) : 0;
    // In the first lane, the axis is right above the calls.
    const y = isBelow ? top + callHeight + row * rowHeight - 1 : top + 1;
    context.strokeStyle = themeColor('focusBorder', 'foreground');
    context.lineWidth = 2;
    context.strokeRect(from - 1, y, Math.max(4, to - from + 2), isBelow ? rowHeight + 1 : callHeight);
  }

  /** A list ends where the next one begins: only the first that are seen need a search. */
  private drawBars(
    context: CanvasRenderingContext2D,
    items: readonly TimelineItem[],
    topOf: (index: number) => number,
    height: number,
    { isWanted }: Shown,
  ): void {
    const { range } = this;
    const last = indexAt(items, range.to);
    const rightEdge = new Map<number, number>();
    for (let i = this.firstSeen(items); i < last; i++) {
      const item = items[i]!;
      const to = item.isMoment === true ? item.begin : (item.end ?? Infinity);
      if (to < range.from || !isWanted(item)) continue;
      const top = topOf(i);
      const from = Math.max(range.left, range.xOf(item.begin));
      const right = Math.min(this.width, range.xOf(to));
      // Here is no room for another one.
      if (right <= (rightEdge.get(top) ?? -1)) continue;
      const width = Math.max(1, right - from);
      rightEdge.set(top, from + width);
      context.fillStyle = colorOf(item);
      if (item.isMoment !== true && item.end === undefined) drawOpen(context, from, top, right, height);
      else context.fillRect(from, top, width > 3 ? width - 1 : width, height);
      if (width > 40 && height >= callHeight) this.write(context, item.name, from + 4, top + height / 2, width - 8);
    }
  }

  /** Items before it have ended before what is shown begins, as far as they do not nest. */
  private firstSeen(items: readonly TimelineItem[]): number {
    const at = indexAt(items, this.range.from);
    return items[0]?.sort === 'openmp' ? 0 : Math.max(0, at - 1);
  }

  /** Notices of dropped events are drawn last: the event that came with one must not hide it. */
  private drawEvents(
    context: CanvasRenderingContext2D,
    items: readonly TimelineItem[],
    bottom: number,
    { isWanted }: Shown,
  ): void {
    const { range } = this;
    const reach = this.timeOf(eventReach);
    const first = indexAt(items, range.from - reach);
    const isNotice = ({ droppedSince = Infinity }: TimelineItem): boolean => droppedSince <= range.to;
    const notices = items.slice(first).filter((item) => isNotice(item) && isWanted(item));
    const events = items
      .slice(first, indexAt(items, range.to + reach))
      .filter((item) => item.droppedSince === undefined && isWanted(item));
    for (const { begin, droppedSince = begin } of notices)
      this.drawGap(context, { from: droppedSince, to: begin }, bottom - eventHeight, eventHeight, droppedHatch);
    const draw = (marks: readonly TimelineItem[], color: string, isHollow: boolean): void => {
      let edge = -Infinity;
      for (const { begin } of marks) {
        const x = range.xOf(begin);
        if (x < edge + 1) continue;
        edge = x;
        drawEvent(context, x, bottom, color, isHollow);
      }
    };
    draw(events, themeColor('foreground'), false);
    draw(notices, themeColor(...droppedHatch.color), true);
  }

  /** Lost records are hatched, so that the gap is not mistaken for a time without any. */
  private drawGap(
    context: CanvasRenderingContext2D,
    gap: { from: number; to: number },
    top: number,
    height: number,
    { color, ...pattern }: typeof lostHatch | typeof droppedHatch,
  ): void {
    const { range } = this;
    if (gap.to < range.from || gap.from > range.to) return;
    const left = Math.max(range.left, range.xOf(gap.from));
    const right = Math.min(this.width, Math.max(left + 3, range.xOf(gap.to)));
    hatch(context, { left, right, top, height }, themeColor(...color), pattern);
  }

  private timeOf(pixels: number): number {
    return (pixels / this.range.width) * (this.range.to - this.range.from);
  }

  private drawLabels(context: CanvasRenderingContext2D, lanes: readonly Lane[]): void {
    context.fillStyle = themeColor('editor-background');
    context.fillRect(0, 0, labelWidth, this.height);
    lanes.forEach((lane, i) => {
      const top = this.topOf(i);
      if (top < 0 || top > this.height) return;
      const isFirst = lanes[i - 1]?.rank !== lane.rank;
      context.fillStyle = themeColor(isFirst ? 'foreground' : 'descriptionForeground');
      context.fillText(
        isFirst ? l10n.t('rank {0}', lane.rank) : l10n.t('thread {0}', lane.thread),
        isFirst ? 4 : 14,
        top + callHeight / 2,
        labelWidth - 8,
      );
    });
  }

  private drawAxis(context: CanvasRenderingContext2D): void {
    context.fillStyle = themeColor('editor-background');
    context.fillRect(0, 0, this.width, axisHeight);
    for (const { time, text } of this.range.ticks()) {
      const x = this.range.xOf(time);
      context.fillStyle = themeColor('descriptionForeground');
      context.fillText(text, x + 3, axisHeight / 2);
      context.fillRect(x, axisHeight - 6, 1, 6);
    }
  }

  private write(context: CanvasRenderingContext2D, text: string, x: number, y: number, width: number): void {
    context.save();
    context.beginPath();
    context.rect(x, y - callHeight, width, 2 * callHeight);
    context.clip();
    context.fillStyle = themeColor('editor-background');
    context.fillText(visible(text), x, y);
    context.restore();
  }
}

function heightOf({ maxDepth }: Lane): number {
  return callHeight + maxDepth * rowHeight + laneGap;
}
