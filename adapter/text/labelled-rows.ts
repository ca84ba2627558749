/** Rows of several subjects: what each is about, the ranks, and what they say, in columns. */
import type { MergedText } from '../query/across-ranks/merge';
import { widest } from './rank-table';

/** `fields`: lines below. */
export interface Row extends MergedText {
  label: string;
  fields?: string[];
}

/** Labels that are longer stand in a line of their own. */
const widestLabel = 28;

export function inColumns(rows: readonly Row[]): string[] {
  const labelWidth = widest(rows.map(({ label }) => label).filter(({ length }) => length <= widestLabel));
  const rankWidth = widest(rows.map(({ ranks }) => ranks));
  return rows.flatMap(({ label, ranks, text, fields = [] }) => {
    const own = label.length > widestLabel ? [label] : [];
    const line = `${(own.length > 0 ? '' : label).padEnd(labelWidth)}  ${ranks.padEnd(rankWidth)}  ${text}`;
    return [...own, line.trimEnd(), ...fields.map((field) => `  ${field}`)];
  });
}
