/** Paths and patterns of core files → files. */
import { readdirSync, type Dirent } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { listed } from './core-findings';

/** A folder tree that is searched with "**" ends somewhere. */
const maxFolders = 100_000;

/**
 * Each path as it is, each pattern replaced by the files that match it, in the order of their names, numbers in them as
 * numbers. `*` and `?` stay within a name, `**` is any folders. A pattern that matches nothing is in `empty`, a folder
 * that may not be read in `closed`.
 */
export function findCoreFiles(
  patterns: readonly string[],
  cwd: string,
): { files: string[]; empty: string[]; closed: string[] } {
  const files = new Set<string>();
  const empty: string[] = [];
  const closed = new Set<string>();
  for (const pattern of patterns) {
    const path = resolve(cwd, pattern);
    const found = /[*?]/.test(path) ? matching(path, closed) : [path];
    if (found.length === 0) empty.push(pattern);
    for (const file of found) files.add(file);
  }
  return { files: [...files], empty, closed: [...closed] };
}

export function folderIsClosed(folders: readonly string[]): string {
  const what = folders.length === 1 ? 'the folder' : 'the folders';
  return `${what} ${listed(folders)} cannot be read: ask the owner, or run chmod +rx`;
}

function matching(pattern: string, closed: Set<string>): string[] {
  const names = pattern.split(sep).slice(1);
  let folders = ['/'];
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    if (name === '**') folders = folders.flatMap((folder) => withSubfolders(folder, closed));
    else if (!/[*?]/.test(name) && !isLast) folders = folders.map((folder) => join(folder, name));
    else folders = folders.flatMap((folder) => entriesLike(folder, name, { areFiles: isLast, closed }));
  }
  return folders.sort(new Intl.Collator('en', { numeric: true }).compare);
}

function entriesLike(
  folder: string,
  pattern: string,
  { areFiles, closed }: { areFiles: boolean; closed: Set<string> },
): string[] {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replace(/\?/g, '[^/]');
  const like = new RegExp(`^${source}$`);
  return entries(folder, closed)
    .filter((entry) => like.test(entry.name) && !(entry.name.startsWith('.') && !pattern.startsWith('.')))
    .filter((entry) => (areFiles ? !entry.isDirectory() : !entry.isFile()))
    .map(({ name }) => join(folder, name));
}

function withSubfolders(top: string, closed: Set<string>): string[] {
  const found = [top];
  for (const folder of found) {
    if (found.length > maxFolders) break;
    for (const entry of entries(folder, closed))
      if (entry.isDirectory() && !entry.name.startsWith('.')) found.push(join(folder, entry.name));
  }
  return found;
}

function entries(folder: string, closed: Set<string>): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') closed.add(folder);
    return [];
  }
}
