/** Fortran files of the workspace's folders. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { withoutMark } from '../../../adapter/fortran/program-sources';
import { isFortranFile } from '../../../plugin-api/fortran/file-names';

/** Folders that hold none of the user's sources. */
const skipped = new Set(['node_modules', 'build', '__pycache__']);
/** Generated files of this length say nothing of handles; their number bounds what a strange folder can cost. */
const largestFile = 4 * 1024 * 1024;
const maxFiles = 20_000;
const maxFolderDepth = 24;

const isSkipped = (name: string): boolean => name.startsWith('.') || skipped.has(name);

/** Whether a file is below a folder, or `fortranSourcesBelow` would not look where it is. */
export function isBelow(folder: string, file: string): 'yes' | 'skipped' | 'no' {
  const [first = '', ...others] = relative(folder, file).split(sep);
  if (first === '..' || first === '') return 'no';
  return [first, ...others].slice(0, -1).some(isSkipped) ? 'skipped' : 'yes';
}

/** The paths below a folder; folders and files that cannot be read are left out. Links are not followed. */
async function* fortranFilesBelow(folder: string, depth = 0, budget = { left: maxFiles }): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (budget.left <= 0) return;
    const path = join(folder, entry.name);
    if (entry.isFile() && isFortranFile(entry.name)) {
      budget.left--;
      yield path;
    } else if (entry.isDirectory() && !isSkipped(entry.name) && depth < maxFolderDepth) {
      yield* fortranFilesBelow(path, depth + 1, budget);
    }
  }
}

/** The text of a source; undefined: it cannot be read, or is larger than any source. */
export async function readSource(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).size > largestFile ? undefined : withoutMark(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Files that are read while others are analysed. */
const readAhead = 16;

/** The texts of the files below a folder, in their order. */
export async function* fortranSourcesBelow(folder: string): AsyncGenerator<{ file: string; text: string | undefined }> {
  const reading: Promise<{ file: string; text: string | undefined }>[] = [];
  for await (const file of fortranFilesBelow(folder)) {
    reading.push(readSource(file).then((text) => ({ file, text })));
    const first = reading.length > readAhead ? reading.shift() : undefined;
    if (first !== undefined) yield first;
  }
  for (const each of reading) yield each;
}
