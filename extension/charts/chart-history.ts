/** What was charted of one variable: for each rank its values over time, or how fast they grew. */
import { compareNames, type RankName } from '../ranks/rank-numbers';
import type { RankSample } from './chart-messages';

export type Quantity = 'total' | 'rate';

/** A minute, ten times a second. */
const maxSamples = 600;
/** They are dropped so many at a time. */
const surplus = 100;

interface RankHistory {
  /** By the rank's own clock. */
  times: (number | null)[];
  values: (number | null)[];
  /** In a second; from one reading of the variable to the next. */
  rates: (number | null)[];
}

export class ChartHistory {
  /** The times of all samples. */
  readonly times: number[] = [];
  /** The ranks of each in their order. */
  private readonly ofObject = new Map<string, Map<RankName, RankHistory>>();

  /** For bound variables: what they are bound to. */
  get objects(): string[] {
    return [...this.ofObject.keys()].filter((name) => name !== '').sort();
  }

  ranksOf(object: string): RankName[] {
    return [...(this.ofObject.get(object)?.keys() ?? [])];
  }

  valuesOf(object: string, rank: RankName, quantity: Quantity): readonly (number | null)[] {
    const history = this.ofObject.get(object)?.get(rank);
    return (quantity === 'rate' ? history?.rates : history?.values) ?? [];
  }

  add(at: number, samples: readonly RankSample[]): void {
    for (const { rank, time, values } of samples)
      for (const [object, value] of Object.entries(values)) put(this.historyOf(object, rank), value, time ?? at);
    this.times.push(at);
    this.evenUp();
  }

  /** Ends the lines so far. */
  break(): void {
    const last = this.times.at(-1);
    if (last === undefined) return;
    this.times.push(last);
    this.evenUp();
  }

  /** Answers how many of the oldest samples were dropped. */
  trim(): number {
    if (this.times.length <= maxSamples + surplus) return 0;
    const excess = this.times.length - maxSamples;
    this.times.splice(0, excess);
    for (const ranks of this.ofObject.values())
      for (const { times, values, rates } of ranks.values())
        for (const list of [times, values, rates]) list.splice(0, excess);
    return excess;
  }

  private historyOf(object: string, rank: RankName): RankHistory {
    const ranks = this.ofObject.get(object);
    const known = ranks?.get(rank);
    if (known !== undefined) return known;
    const before = (): null[] => this.times.map(() => null);
    const history = { times: before(), values: before(), rates: before() };
    const all = [...(ranks ?? []), [rank, history] as const].sort(([a], [b]) => compareNames(a, b));
    this.ofObject.set(object, new Map(all));
    return history;
  }

  /** A rank of which nothing was told has a hole there. */
  private evenUp(): void {
    for (const ranks of this.ofObject.values())
      for (const { times, values, rates } of ranks.values())
        if (values.length < this.times.length) for (const list of [times, values, rates]) list.push(null);
  }
}

function put({ times, values, rates }: RankHistory, value: number, time: number): void {
  const [before, then] = [values.at(-1) ?? null, times.at(-1) ?? null];
  values.push(value);
  times.push(time);
  if (before === null || then === null) rates.push(null);
  // The rank has not read it again meanwhile.
  else if (time <= then) rates.push(rates.at(-1) ?? null);
  // It was reset.
  else rates.push(value < before ? null : (value - before) / (time - then));
}
