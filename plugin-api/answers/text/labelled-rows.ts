/** Rows of several subjects: what each is about, the ranks, and what they say, in columns. */
import type { MergedText } from '../merge';
import { widest } from './rank-table';
import { brokenAfter, lineWidth } from './wrapped';

/** `fields`: lines below. */
export interface Row extends MergedText {
  label: string;
  fields?: string[];
  /** A long text goes on in the next line, after a comma. */
  mayBreak?: true;
}

/** Labels that are longer stand in a line of their own. */
const widestLabel = 28;

export function inColumns(rows: readonly Row[]): string[] {
  const labelWidth = widest(rows.map(({ label }) => label).filter(({ length }) => length <= widestLabel));
  const rankWidth = widest(rows.map(({ ranks }) => ranks));
  return rows.flatMap(({ label, ranks, text, mayBreak, fields = [] }) => {
    const own = label.length > widestLabel ? [label] : [];
    const before = `${(own.length > 0 ? '' : label).padEnd(labelWidth)}  ${ranks.padEnd(rankWidth)}  `;
    const lines = mayBreak === true ? brokenAfter(text, ', ', lineWidth - before.length) : [text];
    const padded = lines.map((line, i) => `${i === 0 ? before : ' '.repeat(before.length)}${line}`.trimEnd());
    return [...own, ...padded, ...fields.map((field) => `  ${field}`)];
  });
}
