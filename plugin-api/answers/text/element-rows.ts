/** The elements of an array of handles as a table: equal elements are merged, and each fact has its own column. */
import { groupedBy } from '../../grouped-by';
import type { RankId } from '../../mpi/records';
import { formatRankSet, rankSetOf } from '../rank-set';
import { mergeAlike, type MergedText } from '../merge';
import { widest } from './rank-table';

export interface Element {
  rank: RankId;
  /** "requests[2]", "domain.comms(3)" */
  label: string;
  columns: readonly string[];
}

/** Undefined for anything but an array element. */
export function splitElement(label: string): { array: string; index: number; shape: string } | undefined {
  const [, array, open, index, close] = /^(.+)([[(])(\d+)([\])])$/.exec(label) ?? [];
  if (array === undefined || index === undefined) return undefined;
  return { array, index: Number(index), shape: `${open}${close}` };
}

/** Names may hold anything but control characters, which are quoted in them. */
const between = '\u0001';

/** How the rows are made: `titles` of the columns come first; `merge`: what ranks have in common, else what is alike in them. */
interface TableForm {
  titles?: readonly string[];
  merge?: (answers: readonly { rank: RankId; text: string }[]) => MergedText[];
}

export function elementsText(
  elements: readonly Element[],
  { titles, merge = (answers) => mergeAlike(answers, 'hidden') }: TableForm = {},
): { label: string; ranks: string; text: string }[] {
  const byText = new Map<string, { labels: string[]; ranks: string; columns: string[] }>();
  for (const [label, of] of groupedBy(elements, ({ label }) => label)) {
    const texts = of.map(({ rank, columns }) => ({ rank, text: columns.join(between) }));
    for (const { ranks, text } of merge(texts)) {
      const key = `${ranks}${between}${text}`;
      const row = byText.get(key);
      if (row === undefined) byText.set(key, { labels: [label], ranks, columns: text.split(between) });
      else row.labels.push(label);
    }
  }
  const all = [...byText.values()];
  const heading = titles === undefined ? [] : [titles];
  const widths = columnWidths([...heading, ...all.map(({ columns }) => columns)]);
  let above = '';
  const rows = all.map(({ labels, ranks, columns }) => {
    const label = indices(labels);
    const row = { label: label === above ? '' : `  ${label}`, ranks, text: inWidths(columns, widths) };
    above = label;
    return row;
  });
  return [...heading.map((columns) => ({ label: '', ranks: '', text: inWidths(columns, widths) })), ...rows];
}

/** The only fact of a row, such as the name of a null handle, may extend into the columns after it. */
function inWidths(columns: readonly string[], widths: readonly number[]): string {
  const facts = columns.filter((column) => column !== '');
  if (facts.length < 2) return facts.join('');
  const cells = columns.map((column, i) => column.padEnd(widths[i]!)).filter((_, i) => widths[i] !== 0);
  return cells.join('  ').trimEnd();
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const several = rows.filter((columns) => columns.filter((column) => column !== '').length > 1);
  const most = several.reduce((count, { length }) => Math.max(count, length), 0);
  return Array.from({ length: most }, (_, i) => widest(several.map((columns) => columns[i] ?? '')));
}

const maxIndices = 4;

/** "[0-2,5]", Fortran "(1)", "[0-2,5,…,99]" */
export function indices(labels: readonly string[]): string {
  const found = labels.flatMap((label) => splitElement(label) ?? []);
  if (found.length === 0) return '';
  const [open = '[', close = ']'] = found[0]?.shape ?? '';
  const parts = formatRankSet(rankSetOf(found.map(({ index }) => index))).split(',');
  const shown = parts.length > maxIndices ? [...parts.slice(0, 2), '…', parts.at(-1)] : parts;
  return `${open}${shown.join(',')}${close}`;
}
