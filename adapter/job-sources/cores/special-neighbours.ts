/**
 * Files that gdb opens on its own beside a program or library: its script and separate debug information. It does not
 * check their type, and waits forever on a FIFO.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openElf } from '../../elf/elf-cache';

/** The first of them that is no regular file. `debugFolders`: where debug information is looked for, too. */
export function specialNeighbour(path: string, debugFolders: readonly string[]): string | undefined {
  const { buildId, debugLinks } = openElf(path);
  const names = [...new Set([path, realpathSync(path)])];
  const folders = names.map((name) => dirname(name));
  const near = folders.flatMap((folder) => [
    folder,
    join(folder, '.debug'),
    ...debugFolders.map((d) => join(d, folder)),
  ]);
  const byId = buildId === undefined ? [] : [join('.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`)];
  return [
    ...names.map((name) => `${name}-gdb.py`),
    ...near.flatMap((folder) => debugLinks.map((link) => resolve(folder, link))),
    ...debugFolders.flatMap((folder) => byId.map((name) => join(folder, name))),
  ].find(isSpecial);
}

function isSpecial(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    return false;
  }
}
