/** One chart: a line for each rank, or of many ranks a band with the outliers. */
import * as l10n from '@vscode/l10n';
import uPlot from 'uplot';
import { ChartHistory, type Quantity } from '../charts/chart-history';
import type { ChartedVariable, RankSample } from '../charts/chart-messages';
import { loneValues, numberText, valueText } from '../charts/line-values';
import { RankBand } from '../charts/rank-band';
import { button, choice, element } from './kit/elements';
import { bandSeries, maxLines, rankSeries, type Line } from './chart-lines';
import { themeColor } from './kit/theme';

const height = 190;
/** Seconds. */
const shownTime = 60;
const allObjects = '';

export class Chart {
  readonly place: HTMLElement;
  private history = new ChartHistory();
  private band: RankBand | undefined;
  private object = allObjects;
  private quantity: Quantity;
  private plot: uPlot | undefined;
  private lines: readonly Line[] = [];
  private shownLines = '';
  private shownObjects = '';
  private readonly canvas = element('div', { class: 'plot', 'aria-hidden': 'true' });
  private readonly legend = element('ul', { class: 'legend' });
  private readonly objects = element('span');
  private readonly resizing = new ResizeObserver(() => this.plot?.setSize(this.size()));

  constructor(
    private readonly variable: ChartedVariable,
    unpin: () => void,
  ) {
    const { name, words, description, isCounter } = variable;
    this.quantity = isCounter ? 'rate' : 'total';
    const asRate = choice(
      l10n.t('{0}: shown as', name),
      [
        { value: 'rate', text: l10n.t('per second') },
        { value: 'total', text: l10n.t('total') },
      ],
      this.quantity,
      (value) => this.show(this.object, value as Quantity),
    );
    this.place = element(
      'section',
      { 'aria-label': name },
      element(
        'div',
        { class: 'tools' },
        element('h2', {}, name),
        element('span', { class: 'quiet' }, words),
        ...(isCounter ? [asRate] : []),
        this.objects,
        button(l10n.t('Close'), unpin, { 'aria-label': l10n.t('Close the chart of {0}', name) }),
      ),
      element('p', { class: 'quiet' }, description),
      this.canvas,
      this.legend,
    );
    this.resizing.observe(this.canvas);
  }

  add(at: number, samples: readonly RankSample[]): void {
    this.history.add(at, samples);
    this.band?.trim(this.history.trim());
    this.offerObjects();
    this.draw();
  }

  break(): void {
    this.history.break();
  }

  restart(): void {
    this.history = new ChartHistory();
    this.show(this.object, this.quantity);
  }

  redraw(): void {
    this.plot?.redraw(false, true);
    this.tellValues(undefined);
  }

  remove(): void {
    this.resizing.disconnect();
    this.plot?.destroy();
    this.place.remove();
  }

  private show(object: string, quantity: Quantity): void {
    this.object = object;
    this.quantity = quantity;
    this.band = undefined;
    this.draw();
  }

  private draw(): void {
    const { history, object, quantity } = this;
    const ranks = history.ranksOf(object);
    if (ranks.length > maxLines) {
      this.band ??= new RankBand(history, object, quantity);
      this.band.extend();
    }
    const lines =
      ranks.length > maxLines
        ? bandSeries(this.band!, history, object, quantity)
        : rankSeries(ranks, history, object, quantity);
    const data: uPlot.AlignedData = [history.times, ...lines.map(({ values }) => values as number[])];
    const shown = lines.map(({ label }) => label).join();
    if (this.plot === undefined || shown !== this.shownLines) this.replace(lines, data);
    else this.plot.setData(data);
    this.shownLines = shown;
    this.lines = lines;
    this.tellValues(undefined);
  }

  /** Which lines there are changes seldom: a rank comes, or becomes an outlier. */
  private replace(lines: readonly Line[], data: uPlot.AlignedData): void {
    this.plot?.destroy();
    this.canvas.replaceChildren();
    const axis: uPlot.Axis = {
      stroke: () => themeColor('foreground'),
      grid: { stroke: () => themeColor('editorIndentGuide-background1', 'descriptionForeground'), width: 1 },
      ticks: { show: false },
    };
    const hasBand = lines.some(({ isEdge }) => isEdge);
    const options: uPlot.Options = {
      ...this.size(),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        // Not what uPlot proposes: of a single time it makes a range from that to 100.
        x: { time: false, range: ({ data: [times] }) => shownRange(times) },
        y: { range: (_, low, high) => rangeOf(low, high) },
      },
      axes: [
        { ...axis, size: 30, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
        { ...axis, size: 70, values: (_, ticks) => ticks.map((tick) => numberText(tick)) },
      ],
      series: [
        {},
        ...lines.map(({ label, color, dash, isEdge }): uPlot.Series => ({
          ...{ label, spanGaps: false, width: isEdge ? 1 : 1.5 },
          // A line needs two: a single value is a dot.
          points: {
            show: true,
            size: 6,
            fill: color,
            stroke: color,
            filter: (plot, i) => loneValues(plot.data[0], plot.data[i]!),
          },
          ...{ stroke: color, dash: dash ?? [] },
        })),
      ],
      ...(hasBand ? { bands: [{ series: [3, 1], fill: bandFill }] } : {}),
      hooks: { setCursor: [({ cursor: { idx } }) => this.tellValues(idx ?? undefined)] },
    };
    this.plot = new uPlot(options, data, this.canvas);
    this.legend.replaceChildren(
      ...lines.map(({ label }) =>
        element('li', {}, element('span', { class: 'line' }), element('span', {}, label), element('output')),
      ),
    );
  }

  /** The values under the pointer, else the last ones, beside the names of the lines. */
  private tellValues(index: number | undefined): void {
    const { data } = this.plot ?? {};
    if (data === undefined) return;
    const at = index ?? data[0].length - 1;
    this.lines.forEach((line, i) => {
      const { color, dash } = line;
      const item = this.legend.children[i];
      const [mark, , output] = item?.children ?? [];
      if (mark instanceof HTMLElement) {
        mark.style.borderTopColor = color();
        mark.style.borderTopStyle = dash === undefined ? 'solid' : 'dashed';
      }
      if (output !== undefined) output.textContent = valueText(line, at, this.quantity);
    });
  }

  /** A bound variable has values for each object; all together are the first choice. */
  private offerObjects(): void {
    const { objects } = this.history;
    if (objects.join('\n') === this.shownObjects) return;
    this.shownObjects = objects.join('\n');
    const options = [{ value: allObjects, text: l10n.t('all objects together') }].concat(
      objects.map((name) => ({ value: name, text: name })),
    );
    this.objects.replaceChildren(
      choice(l10n.t('{0}: of', this.variable.name), options, this.object, (object) => this.show(object, this.quantity)),
    );
  }

  private size(): { width: number; height: number } {
    return { width: Math.max(200, this.canvas.clientWidth), height };
  }
}

function bandFill(): string {
  return `color-mix(in srgb, ${themeColor('charts-blue')} 25%, transparent)`;
}

function shownRange(times: ArrayLike<number>): [number, number] {
  const [first = 0, last = 0] = [times[0], times[times.length - 1]];
  return [Math.max(first, last - shownTime), Math.max(last, first + 1)];
}

/** From 0, with some room. */
function rangeOf(low: number | null, high: number | null): [number, number] {
  const [least, greatest] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return least === greatest ? [0, 1] : [least * 1.08, greatest * 1.08];
}
