/** A folder with those above it. */
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * For the user alone, if it is made. Node's own recursive mkdir does not end where the kernel makes no folders (/proc, an automounted
 * /home). @throws {Error} of node:fs
 */
export function makeFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
