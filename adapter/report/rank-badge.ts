/** How the page writes which ranks something holds for. */
import type { RankId } from '../../plugin-api/mpi/records';
import { html, type Html } from './html';

/** `ranks`: "0-3,7"; processes without a rank number by pid or core. A long set may be broken into lines. */
export function rankBadge(ranks: string): Html {
  if (ranks.length > 24) return html`<span class="ranks many">${ranks.replaceAll(',', ', ')}</span>`;
  return html`<span class="ranks">${ranks}</span>`;
}

/** Identifies a process in whichever document it is. */
export function rankKey({ rank, world, host, pid, core }: RankId): string {
  return JSON.stringify([rank, world, host, pid, core]);
}
