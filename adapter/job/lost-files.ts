/** What the user is told of files that have changed since ranks loaded them. */
import { namedRanks } from '../../plugin-api/mpi/rank-names';
import type { LostFile } from '../images/live/symbol-files';
import type { Rank } from './rank';
import { formatRanks } from './rank-set';

/** One sentence for each file that is lost to these ranks. */
export function lostFilesOf(
  ranks: readonly (Pick<Rank, 'number' | 'label' | 'lostFiles'> & { world?: string | undefined })[],
): string[] {
  const files = new Map<string, LostFile>();
  for (const { lostFiles } of ranks) for (const file of lostFiles) files.set(keyOf(file), file);
  return [...files].map(([key, file]) => {
    const losers = ranks.filter(({ lostFiles }) => lostFiles.some((each) => keyOf(each) === key));
    const labels = losers.filter(({ number }) => number === null).map(({ label }) => label);
    const known = formatRanks(losers);
    return lostFileText(file, [...(known === '' ? [] : [namedRanks(known)]), ...labels].join(', '));
  });
}

/** The same for one rank. */
export function lostFilesOfOne({ lostFiles, label }: Pick<Rank, 'label' | 'lostFiles'>): string[] {
  return lostFiles.map((file) => lostFileText(file, label));
}

/** Why a name may be unknown to a rank that has lost `count` files, which are named once for the whole job: no words for 0. */
export function inLostFiles(count: number): string[] {
  if (count === 0) return [];
  const where = count === 1 ? 'a file that has changed' : `one of ${count} files that have changed`;
  return [`it may be in ${where} since the rank loaded ${count === 1 ? 'it' : 'them'}`];
}

/** `who`: "ranks 0-3". */
function lostFileText({ path, change }: LostFile, who: string): string {
  return `${path} was ${change} after ${who} had loaded it: what was loaded cannot be read any more, so its functions and variables are unknown, and no breakpoint can be set in it`;
}

function keyOf({ path, change }: LostFile): string {
  return `${change} ${path}`;
}
