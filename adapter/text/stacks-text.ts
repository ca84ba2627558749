/** A StacksDocument as people read it. */
import type { StackNode, StacksDocument } from '../../plugin-api/mpi/records';
import { visibleListing } from '../../plugin-api/visible-text';
import { mergeEqual } from '../query/across-ranks/merge';

/** The outliers first, then the tree with the ranks in a column of their own. */
export function stacksText({ outliers, tree, errors }: StacksDocument): string {
  const rows = tree.flatMap((node) => rowsOf(node, 0));
  const width = Math.max(0, ...rows.map(({ ranks }) => ranks.length));
  const lines = rows.map(({ ranks, text }) => `${ranks.padEnd(width)}  ${text}`);
  const failed = mergeEqual(errors.map((rank) => ({ rank, text: rank.error.reason })));
  return visibleListing([
    ...outliers,
    ...(outliers.length === 0 ? [] : ['']),
    ...lines,
    ...failed.map(({ ranks, text }) => `${ranks}  ${text}`),
  ]);
}

function rowsOf({ frame, ranks, threads, children }: StackNode, level: number): { ranks: string; text: string }[] {
  const file = frame.source?.replace(/^.*\//, '');
  const at = file === undefined ? '' : ` (${file}:${frame.line ?? '?'})`;
  const text = `${'  '.repeat(level)}${frame.name}${at}`;
  return [{ ranks: `${ranks} [${threads}]`, text }, ...children.flatMap((child) => rowsOf(child, level + 1))];
}
