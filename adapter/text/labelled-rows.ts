/** Rows of several subjects: what each is about, the ranks, and what they say, in columns. */
import type { MergedText } from '../query/across-ranks/merge';

/** `fields`: lines below. */
export interface Row extends MergedText {
  label: string;
  fields?: string[];
}

/** Labels that are longer stand in a line of their own. */
const widestLabel = 28;

export function inColumns(rows: readonly Row[]): string[] {
  const labelWidth = Math.max(0, ...rows.map(({ label }) => label.length).filter((length) => length <= widestLabel));
  const rankWidth = Math.max(0, ...rows.map(({ ranks }) => ranks.length));
  return rows.flatMap(({ label, ranks, text, fields = [] }) => {
    const own = label.length > widestLabel ? [label] : [];
    const line = `${(own.length > 0 ? '' : label).padEnd(labelWidth)}  ${ranks.padEnd(rankWidth)}  ${text}`;
    return [...own, line.trimEnd(), ...fields.map((field) => `  ${field}`)];
  });
}
