/** The ranks of a document that could be asked. */
import { inWorld } from '../../mpi/worlds';
import type { OverlayDocument, RankOverlay } from '../../overlays/records';

export function overlaysOf({ ranks }: OverlayDocument): RankOverlay[] {
  return ranks.filter((rank): rank is RankOverlay => 'collector' in rank);
}

/** "3", "0.1:3"; "" where it is not known. */
export function rankCell(rank: number | null, world: string | undefined): string {
  return rank === null ? '' : inWorld(world, String(rank));
}
