/** Which file of this machine the name of a command means. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Looks a name up in PATH, or resolves a path against `cwd`; undefined if there is no such executable file. */
export function findExecutable(name: string, cwd: string, path: string | undefined): string | undefined {
  const candidates = name.includes('/') ? [resolve(cwd, name)] : pathFolders(path).map((folder) => join(folder, name));
  return candidates.find(isExecutable);
}

export function pathFolders(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter(isAbsolute);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
