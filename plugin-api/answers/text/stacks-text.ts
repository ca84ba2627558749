/** A StacksDocument as people read it. */
import { counted } from '../../counted';
import type { StackNode, StacksDocument } from '../../mpi/records';
import { visibleListing } from '../../visible-text';
import { parseRankSet, RankSetError } from '../rank-set';
import { inWorld } from '../../mpi/worlds';
import { mergeEqual } from '../merge';
import { widest } from './rank-table';

/**
 * Who died of what, then the outliers, then the tree with the ranks in a column of their own. `leftOut`: threads of
 * libraries that are not in the document.
 */
export function stacksText(
  { outliers, tree, errors }: StacksDocument,
  crashes: readonly string[] = [],
  leftOut = 0,
): string {
  const rows = tree.flatMap((node) =>
    rowsOf(node, 0).map((row) => ({ ...row, ranks: inWorld(node.world, row.ranks) })),
  );
  const width = widest(rows.map(({ ranks }) => ranks));
  const lines = rows.map(({ ranks, text }) => `${ranks.padEnd(width)}  ${text}`);
  const failed = mergeEqual(errors.map((rank) => ({ rank, text: rank.error.reason })));
  const first = [...crashes, ...outliers];
  return visibleListing([
    ...first,
    ...(first.length === 0 ? [] : ['']),
    ...lines,
    ...failed.map(({ ranks, text }) => `${ranks}  ${text}`),
    ...(leftOut === 0 ? [] : [`(${counted(leftOut, 'thread')} of libraries: see --full)`]),
  ]);
}

/**
 * A function that calls itself, and the callers of a stripped program, are one line while no rank turns off among them:
 * "?? (14 frames)".
 */
function rowsOf(first: StackNode, level: number): { ranks: string; text: string }[] {
  let node = first;
  let frames = 1;
  for (let [next] = node.children; next !== undefined && isSameFrame(node, next); [next] = node.children) {
    if (next.ranks !== node.ranks || next.threads !== node.threads) break;
    node = next;
    frames++;
  }
  const { frame, ranks, threads, children } = node;
  const file = frame.source?.replace(/^.*\//s, '');
  const notes = [
    ...(file === undefined ? [] : [`${file}:${frame.line ?? '?'}`]),
    ...(frame.openmp ? [frame.openmp] : []),
  ];
  const at = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const text = `${'  '.repeat(level)}${frame.name === '??' ? 'function without a name' : frame.name}${at}${frames > 1 ? ` (${frames} frames)` : ''}`;
  return [{ ranks: rankText(ranks, threads), text }, ...children.flatMap((child) => rowsOf(child, level + 1))];
}

function isSameFrame({ frame: a }: StackNode, { frame: b }: StackNode): boolean {
  return a.name === b.name && a.source === b.source && a.line === b.line && a.openmp === b.openmp;
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
