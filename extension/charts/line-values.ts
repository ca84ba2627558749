/** What a line of a chart says at each sample. */
import * as l10n from '@vscode/l10n';
import type { Quantity } from './chart-history';

export interface LineValues {
  values: readonly (number | null)[];
  /** Where `values` are how fast something grows: how much it is. */
  totals?: readonly (number | null)[];
}

/**
 * Values that no line shows, because the known ones beside them are of the same time or there are none: all that there is of a
 * stopped job, however often it is asked, and what is between two holes.
 */
export function loneValues(times: ArrayLike<number>, values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  let begin: number | undefined;
  for (let i = 0; i < values.length; i++) {
    if ((values[i] ?? null) === null) {
      begin = undefined;
      continue;
    }
    begin ??= i;
    const isLast = (values[i + 1] ?? null) === null;
    if (isLast && times[i] === times[begin]) found.push(i);
  }
  return found;
}

/** In the legend. A rate is known from the second sample on. */
export function valueText({ values, totals }: LineValues, index: number, quantity: Quantity): string {
  const value = values[index] ?? null;
  if (value !== null) return quantity === 'rate' ? l10n.t('{0} per second', numberText(value)) : numberText(value);
  const total = totals?.[index] ?? null;
  return total === null ? l10n.t('unknown') : l10n.t('no rate yet, total {0}', numberText(total));
}

export function numberText(value: number): string {
  return Math.abs(value) >= 1e6 ? value.toExponential(2) : String(Number(value.toPrecision(5)));
}
