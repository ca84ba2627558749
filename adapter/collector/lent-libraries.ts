/** Our libraries where ranks in containers find them, too: these see /tmp, but rarely the folder in which mpidbg is installed. */
import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryFolder } from '../hosts/temporary-folder';
import { loads } from './own-build';

/**
 * Copies for as long as mpidbg runs. A library that the loader is to find by its name, or whose copy does not load (as where /tmp is mounted
 * noexec), stays what it is.
 */
export function lentLibraries(libraries: readonly string[]): string[] {
  const folder = temporaryFolder('mpidbg-libraries-', { inContainers: true });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return libraries.map((library) => {
    if (!library.includes('/')) return library;
    const copy = join(folder, basename(library));
    copyFileSync(library, copy);
    return loads(copy) ? copy : library;
  });
}
