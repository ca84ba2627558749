/**
 * Files that gdb opens on its own beside a program or library: its script and separate debug information. It does not
 * check their type, and waits forever on a FIFO.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openElf } from './elf-cache';
import type { ElfFile } from './elf-file';

/** The first of them that is no regular file. `debugFolders`: where debug information is looked for, too. */
export function specialNeighbour(path: string, debugFolders: readonly string[]): string | undefined {
  const elf = openElf(path);
  const { buildId } = elf;
  const names = [...new Set([path, resolved(path)])];
  const byId = buildId === undefined ? [] : [join('.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`)];
  return [
    ...neighbours(names, elf, debugFolders),
    ...debugFolders.flatMap((folder) => byId.map((name) => join(folder, name))),
  ].find(isSpecial);
}

/** Those in its own folder and its place below the others; `names`: all by which gdb may know the file. */
export function neighbours(
  names: readonly string[],
  { debugLinks }: ElfFile,
  debugFolders: readonly string[],
): string[] {
  const folders = names.map((name) => dirname(name));
  const near = folders.flatMap((folder) => [
    folder,
    join(folder, '.debug'),
    ...debugFolders.map((d) => join(d, folder)),
  ]);
  return [
    ...names.map((name) => `${name}-gdb.py`),
    ...near.flatMap((folder) => debugLinks.map((link) => resolve(folder, link))),
  ];
}

/** Through /proc a file is reached whose own name means nothing here: that of a process in a container. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isSpecial(path: string): boolean {
  try {
    return !statSync(path).isFile();
  } catch {
    return false;
  }
}
