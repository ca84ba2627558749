/** What the user is told of files that have changed since ranks loaded them. */
import type { LostFile } from '../images/live/symbol-files';
import type { Rank } from './rank';
import { knownRankSet, rankSetInWords } from './rank-set';

/** One sentence for each file that is lost to these ranks. */
export function lostFilesOf(ranks: readonly Pick<Rank, 'number' | 'label' | 'lostFiles'>[]): string[] {
  const files = new Map<string, LostFile>();
  for (const { lostFiles } of ranks) for (const file of lostFiles) files.set(keyOf(file), file);
  return [...files].map(([key, file]) => {
    const losers = ranks.filter(({ lostFiles }) => lostFiles.some((each) => keyOf(each) === key));
    const labels = losers.filter(({ number }) => number === null).map(({ label }) => label);
    const numbers = knownRankSet(losers);
    return lostFileText(file, [...(numbers.length === 0 ? [] : [rankSetInWords(numbers)]), ...labels].join(', '));
  });
}

/** `who`: "ranks 0-3". */
/** The same for one rank. */
export function lostFilesOfOne({ lostFiles, label }: Pick<Rank, 'label' | 'lostFiles'>): string[] {
  return lostFiles.map((file) => lostFileText(file, label));
}

export function lostFileText({ path, change }: LostFile, who: string): string {
  return `${path} was ${change} after ${who} had loaded it: what was loaded cannot be read any more, so its functions and variables are unknown, and no breakpoint can be set in it`;
}

function keyOf({ path, change }: LostFile): string {
  return `${change} ${path}`;
}
