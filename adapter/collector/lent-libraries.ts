/** Our libraries where ranks in containers find them, too: these see /tmp, but rarely the folder in which mpidbg is installed. */
import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryFolder } from '../hosts/temporary-folder';
import { loads } from './own-build';

/**
 * Copies that last as long as mpidbg runs. The library itself where the loader is to find it by its name, and where there can be no copy that
 * loads: /tmp is full, or mounted noexec.
 */
export function lentLibraries(libraries: readonly string[]): readonly string[] {
  try {
    const folder = temporaryFolder('mpidbg-libraries-', { inContainers: true });
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return libraries.map((library) => (library.includes('/') ? copyIn(folder, library) : library));
  } catch {
    return libraries;
  }
}

function copyIn(folder: string, library: string): string {
  const copy = join(folder, basename(library));
  copyFileSync(library, copy);
  return loads(copy) ? copy : library;
}
