/** Many ranks as one band: the least, the middle and the greatest value at each time, and the ranks that are far from it. */
import type { RankName } from '../ranks/rank-numbers';
import type { ChartHistory, Quantity } from './chart-history';

type Values = (number | null)[];

const maxOutliers = 4;
/** So many times the usual distance from the middle. */
const isFar = 3;

export class RankBand {
  readonly min: Values = [];
  readonly median: Values = [];
  readonly max: Values = [];

  constructor(
    private readonly history: ChartHistory,
    private readonly object: string,
    private readonly quantity: Quantity,
  ) {
    this.extend();
  }

  /** By what is new in the history. */
  extend(): void {
    const all = this.all().map(({ values }) => values);
    for (let i = this.median.length; i < this.history.times.length; i++) {
      const known = all.map((values) => values[i] ?? null).filter((value): value is number => value !== null);
      const sorted = Float64Array.from(known).sort();
      this.min.push(sorted[0] ?? null);
      this.median.push(sorted[sorted.length >> 1] ?? null);
      this.max.push(sorted.at(-1) ?? null);
    }
  }

  trim(count: number): void {
    for (const list of [this.min, this.median, this.max]) list.splice(0, count);
  }

  /** Those that are farthest away over the whole time, the farthest first. */
  outliers(): RankName[] {
    const distances = this.all().map(({ rank, values }) => ({ rank, distance: this.distanceOf(values) }));
    const sorted = distances.map(({ distance }) => distance).sort((a, b) => a - b);
    const usual = sorted[sorted.length >> 1] ?? 0;
    return distances
      .filter(({ distance }) => distance > 0 && distance > isFar * usual)
      .sort((a, b) => b.distance - a.distance)
      .slice(0, maxOutliers)
      .map(({ rank }) => rank);
  }

  private all(): { rank: RankName; values: readonly (number | null)[] }[] {
    const { history, object, quantity } = this;
    return history.ranksOf(object).map((rank) => ({ rank, values: history.valuesOf(object, rank, quantity) }));
  }

  private distanceOf(values: readonly (number | null)[]): number {
    let [sum, count] = [0, 0];
    values.forEach((value, i) => {
      const middle = this.median[i] ?? null;
      if (value === null || middle === null) return;
      sum += Math.abs(value - middle);
      count += 1;
    });
    return count === 0 ? 0 : sum / count;
  }
}
