/** How the page writes which ranks something holds for. */
import type { RankId } from '../../plugin-api/mpi/records';
import { html, type Html } from './html';

/** `ranks`: "0-3,7"; processes without a rank number by pid or core. A long set may be broken into lines. */
export function rankBadge(ranks: string): Html {
  if (ranks.length > 24) return html`<span class="ranks many">${ranks.replaceAll(',', ', ')}</span>`;
  return html`<span class="ranks">${ranks}</span>`;
}

/** How many processes a text like "0-3,pid 4711" names. */
export function countRanks(ranks: string): number {
  return ranks.split(',').reduce((count, part) => {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    return count + (first === undefined || last === undefined ? 1 : Number(last) - Number(first) + 1);
  }, 0);
}

/** "rank 3", "ranks 0-2". */
export function ranksInWords(ranks: string): string {
  return `${countRanks(ranks) === 1 ? 'rank' : 'ranks'} ${ranks}`;
}

/** Identifies a process in whichever document it is. */
export function rankKey({ rank, world, host, pid, core }: RankId): string {
  return JSON.stringify([rank, world, host, pid, core]);
}
