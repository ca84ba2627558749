/** Which launcher a file is, without running it: Debian's mpirun is a link to whichever MPI was chosen last. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { KnownLauncher, KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { unlessShort } from '../elf/shortage-error';
import { withFile } from '../elf/distant-bytes';
import { openElf } from '../elf/elf-cache';
import { openHere } from '../hosts/local-host';
import { isExecutable, pathFolders } from '../hosts/executables';
import type { ProgramMpi } from './mpi-of-program';
import { findTexts } from './mpi-of-program';

/** By the name of the file behind all links, the libraries that it needs, and what is written in it; undefined: none known. */
export async function launcherAt(path: string, { launchers }: KnownMpis): Promise<KnownLauncher | undefined> {
  const real = realpathSync(path);
  const byName = launchers.find(({ facts }) => facts.file?.test(basename(real)));
  if (byName !== undefined) return byName;
  const needed = neededLibraries(real);
  const byLibrary = launchers.find(({ facts }) => needed.some((name) => facts.needs?.test(name)));
  if (byLibrary !== undefined) return byLibrary;
  const texts = await readTexts(
    real,
    launchers.flatMap(({ facts }) => facts.texts ?? []),
  );
  return launchers.find(({ facts }) => facts.texts?.some((text) => texts.has(text)));
}

/** Empty for a launcher that may be run but not read. */
function readTexts(path: string, texts: readonly string[]): Promise<ReadonlySet<string>> {
  return withFile(path, openHere, (file) => findTexts(file, texts)).catch(unlessShort(new Set<string>()));
}

/** Empty for a script. */
function neededLibraries(path: string): readonly string[] {
  try {
    return openElf(path).dynamic?.needed ?? [];
  } catch (error) {
    return unlessShort([])(error);
  }
}

/** The launcher beside the library, else one of the same MPI in PATH; undefined when there is none. */
export async function findLauncherOf(
  mpi: ProgramMpi,
  path: string | undefined,
  mpis: KnownMpis,
): Promise<string | undefined> {
  const names = new Set(mpis.named(mpi.name)?.launchers?.flatMap((each) => each.names));
  const inPath = pathFolders(path);
  const own = mpi.library === undefined ? [] : binFolders(mpi.library);
  // A folder of PATH is called as PATH calls it: Open MPI takes a launcher outside it for a relocated installation.
  const called = own.map((folder) => inPath.find((each) => isSameFolder(each, folder)) ?? folder);
  for (const folder of [...called, ...inPath]) {
    for (const name of names) {
      const launcher = join(folder, name);
      if (isExecutable(launcher) && (await launcherAt(launcher, mpis))?.mpi?.name === mpi.name) return launcher;
    }
  }
  return undefined;
}

function isSameFolder(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

/** PREFIX/bin of a library in PREFIX/lib, PREFIX/lib64 or PREFIX/lib/x86_64-linux-gnu, by its real file and by its name. */
function binFolders(library: string): string[] {
  const folders = new Set<string>();
  for (const file of [realpathSync(library), library]) {
    let folder = dirname(file);
    for (let level = 0; level < 3 && folder !== '/'; level++) {
      folder = dirname(folder);
      folders.add(join(folder, 'bin'));
    }
  }
  return [...folders];
}
