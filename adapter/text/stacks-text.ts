/** A StacksDocument as people read it. */
import type { StackNode, StacksDocument } from '../../plugin-api/mpi/records';
import { visibleListing } from '../../plugin-api/visible-text';
import { parseRankSet, RankSetError } from '../job/rank-set';
import { mergeEqual } from '../query/across-ranks/merge';

/**
 * Who died of what, then the outliers, then the tree with the ranks in a column of their own. `leftOut`: threads of
 * libraries that are not in the document.
 */
export function stacksText(
  { outliers, tree, errors }: StacksDocument,
  crashes: readonly string[] = [],
  leftOut = 0,
): string {
  const rows = tree.flatMap((node) => rowsOf(node, 0));
  const width = Math.max(0, ...rows.map(({ ranks }) => ranks.length));
  const lines = rows.map(({ ranks, text }) => `${ranks.padEnd(width)}  ${text}`);
  const failed = mergeEqual(errors.map((rank) => ({ rank, text: rank.error.reason })));
  const first = [...crashes, ...outliers];
  return visibleListing([
    ...first,
    ...(first.length === 0 ? [] : ['']),
    ...lines,
    ...failed.map(({ ranks, text }) => `${ranks}  ${text}`),
    ...(leftOut === 0 ? [] : [`(${leftOut} ${leftOut === 1 ? 'thread' : 'threads'} of libraries: see --full)`]),
  ]);
}

function rowsOf({ frame, ranks, threads, children }: StackNode, level: number): { ranks: string; text: string }[] {
  const file = frame.source?.replace(/^.*\//, '');
  const at = file === undefined ? '' : ` (${file}:${frame.line ?? '?'})`;
  const text = `${'  '.repeat(level)}${frame.name}${at}`;
  return [{ ranks: rankText(ranks, threads), text }, ...children.flatMap((child) => rowsOf(child, level + 1))];
}

/** "0-3", and where a rank is there with several threads "0-3 (8 threads)". */
function rankText(ranks: string, threads: number): string {
  return threads > rankCount(ranks) ? `${ranks} (${threads} threads)` : ranks;
}

function rankCount(ranks: string): number {
  try {
    return parseRankSet(ranks).reduce((sum, [first, last]) => sum + last - first + 1, 0);
  } catch (error) {
    if (!(error instanceof RankSetError)) throw error;
    return ranks.split(',').length;
  }
}
