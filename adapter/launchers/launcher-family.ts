/** Which MPI a launcher belongs to, without running it: Debian's mpirun is a link to whichever MPI was chosen last. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openElf } from '../elf/elf-cache';
import { isExecutable, pathFolders } from './executable-file';
import type { MpiFamily, ProgramMpi } from './mpi-of-program';
import { findTexts } from './mpi-of-program';

/** In the order in which they are tried; the names that tell the MPI first. */
const NAMES: Record<MpiFamily, readonly string[]> = {
  openmpi: ['mpirun.openmpi', 'mpiexec.openmpi', 'mpirun', 'mpiexec', 'orterun', 'prterun'],
  mpich: ['mpiexec.hydra', 'mpiexec.mpich', 'mpirun.mpich', 'mpiexec', 'mpirun'],
};

const LIBRARIES = /^lib(open-rte|open-pal|prrte)\.so/;
const HYDRA_TEXTS = ['HYDRA_', 'mpiexec.hydra'];
const OPENMPI_TEXTS = ['prterun', 'orterun'];

/** undefined: a launcher that we do not know, or one for every MPI (srun). */
export function launcherFamily(path: string): MpiFamily | undefined {
  const real = realpathSync(path);
  if (/^(srun|aprun|jsrun|flux)$/.test(basename(real))) return undefined;
  if (neededLibraries(real).some((name) => LIBRARIES.test(name))) return 'openmpi';
  const texts = readTexts(real);
  if (HYDRA_TEXTS.some((text) => texts.has(text))) return 'mpich';
  return OPENMPI_TEXTS.some((text) => texts.has(text)) ? 'openmpi' : undefined;
}

/** Empty for a launcher that may be run but not read. */
function readTexts(path: string): ReadonlySet<string> {
  try {
    return findTexts(path, [...HYDRA_TEXTS, ...OPENMPI_TEXTS]);
  } catch {
    return new Set();
  }
}

/** Empty for a script. */
function neededLibraries(path: string): readonly string[] {
  try {
    return openElf(path).dynamic?.needed ?? [];
  } catch {
    return [];
  }
}

/** The launcher beside the library, else one of its family in PATH; undefined when there is none. */
export function findLauncherOf(mpi: ProgramMpi, path: string | undefined): string | undefined {
  const inPath = pathFolders(path);
  const own = mpi.library === undefined ? [] : binFolders(mpi.library);
  // A folder of PATH is called as PATH calls it: Open MPI takes a launcher outside it for a relocated installation.
  const called = own.map((folder) => inPath.find((each) => isSameFolder(each, folder)) ?? folder);
  for (const folder of [...called, ...inPath]) {
    for (const name of NAMES[mpi.family]) {
      const launcher = join(folder, name);
      if (isExecutable(launcher) && launcherFamily(launcher) === mpi.family) return launcher;
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
