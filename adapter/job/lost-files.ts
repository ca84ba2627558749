/** What the user is told of files that have changed since ranks loaded them. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { namedRanks } from '../../plugin-api/mpi/rank-names';
import { whyAbsent } from '../images/core/absent-files';
import type { LostFile, Rank } from './rank';
import { formatRanks } from '../../plugin-api/answers/rank-set';

/** One sentence for each file that is lost to these ranks. */
export function lostFilesOf(
  ranks: readonly (Pick<Rank, 'number' | 'label' | 'lostFiles'> & { world?: string | undefined })[],
): string[] {
  const files = new Map<string, LostFile>();
  for (const { lostFiles } of ranks) for (const file of lostFiles) files.set(keyOf(file), file);
  return [...files].map(([key, file]) => {
    const losers = ranks.filter(({ lostFiles }) => lostFiles.some((each) => keyOf(each) === key));
    return lostFileText(file, namesOf(losers));
  });
}

/** Those that are not in the other list. */
export function newFilesIn(files: readonly LostFile[], others: readonly LostFile[]): LostFile[] {
  const known = new Set(others.map(keyOf));
  return files.filter((file) => !known.has(keyOf(file)));
}

/** One sentence for each of these files that it was not asked about before, whichever ranks have lost it. */
export class LostFileNews {
  private readonly told: LostFile[] = [];

  of(files: readonly LostFile[]): string[] {
    const news = newFilesIn(files, this.told);
    this.told.push(...news);
    return news.map((file) => lostFileText(file, 'ranks'));
  }
}

/** "ranks 0-3, process 77" */
function namesOf(ranks: readonly (Pick<Rank, 'number' | 'label'> & { world?: string | undefined })[]): string {
  const labels = ranks.filter(({ number }) => number === null).map(({ label }) => label);
  const known = formatRanks(ranks);
  return [...(known === '' ? [] : [namedRanks(known)]), ...labels].join(', ');
}

/** The same for one rank. */
export function lostFilesOfOne({ lostFiles, label }: Pick<Rank, 'label' | 'lostFiles'>): string[] {
  return lostFiles.map((file) => lostFileText(file, label));
}

/** One sentence about the ranks whose later libraries gdb does not see before they stop; none if it sees all. */
export function unseenLoadsOf(ranks: readonly Pick<Rank, 'number' | 'label' | 'lostFiles' | 'seesLoads'>[]): string[] {
  const who = namesOf(ranks.filter(({ seesLoads }) => !seesLoads));
  const why = 'their dynamic linker or C library is not where its name says';
  return who === '' ? [] : [`libraries that ${who} load later are seen when they stop next, as ${why}`];
}

/** The file of which nothing is known where it is the MPI library, in words; without its functions nobody knows what the rank does in MPI. */
export function lostMpiOf(files: readonly LostFile[], mpis: KnownMpis): string | undefined {
  const lost = files.find(({ kind, path }) => kind === 'changed' && mpis.holdsObjects(path));
  return lost?.kind === 'changed'
    ? `the MPI library ${lost.path} was ${lost.change} after the process had loaded it`
    : undefined;
}

/** Why a name may be unknown to a rank that has lost these files, which are named once for the whole job: no words for none. */
export function inLostFiles(files: readonly LostFile[]): string[] {
  const [first] = files;
  if (first === undefined) return [];
  const isOne = files.length === 1;
  const which = isOne ? 'a file' : `one of ${files.length} files`;
  // A rank is a process, or a core file.
  if (first.kind === 'absent') return [`it may be in ${which} of which nothing is here`];
  return [
    `it may be in ${which} that ${isOne ? 'has' : 'have'} changed since the rank loaded ${isOne ? 'it' : 'them'}`,
  ];
}

/** "/home/me/solver was deleted after it was loaded". */
export function whyLost(file: LostFile): string {
  return file.kind === 'absent' ? whyAbsent(file) : `${file.path} was ${file.change} after it was loaded`;
}

/** `who`: "ranks 0-3". */
function lostFileText(file: LostFile, who: string): string {
  if (file.kind === 'absent') return `${whyAbsent(file)}, so its functions and variables are unknown in ${who}`;
  const { path, change } = file;
  return `${path} was ${change} after ${who} had loaded it: what was loaded cannot be read any more, so its functions and variables are unknown, and no breakpoint can be set in it`;
}

function keyOf(file: LostFile): string {
  return file.kind === 'changed' ? `${file.change} ${file.path}` : whyAbsent(file);
}
