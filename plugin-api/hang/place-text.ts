/** Where a thread is, beside the name of what it is in. */
import type { RankPosition } from './position';

/** " (halo.c:92)" */
export function placeOf({ where, through }: Pick<RankPosition, 'where' | 'through'>): string {
  if (where === undefined) return '';
  return through === undefined ? ` (${where})` : ` (${where}, through ${through.function}, ${through.where})`;
}
