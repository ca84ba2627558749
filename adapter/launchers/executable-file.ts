/** Programs and launchers as files: which one a name means, and whether it can be run at all. */
import type { Stats } from 'node:fs';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { LaunchError } from '../job/start-error';

/** A name is looked up in PATH, a path is taken from `cwd`; undefined when there is no such executable file. */
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

/** Throws LaunchError unless the user's program is a file that can be run. */
export function checkProgramFile(program: string): void {
  const status = existing(program);
  if (status === undefined) throw new LaunchError(`there is no program ${program}`, { kind: 'buildProgram' });
  if (status.isDirectory()) throw new LaunchError(`${program} is a folder`, { kind: 'programInFolder' });
  if (!isExecutable(program)) throw new LaunchError(`${program} is not executable`, { kind: 'executableProgram' });
}

/** undefined when nothing is there that we can reach. */
function existing(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
