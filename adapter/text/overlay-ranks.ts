/** The ranks of a document that could be asked. */
import type { OverlayDocument, RankOverlay } from '../../plugin-api/overlays/records';

export function overlaysOf({ ranks }: OverlayDocument): RankOverlay[] {
  return ranks.filter((rank): rank is RankOverlay => 'collector' in rank);
}
