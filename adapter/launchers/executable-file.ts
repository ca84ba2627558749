/** The user's program as a file: whether it can be run at all. */
import type { Stats } from 'node:fs';
import { statSync } from 'node:fs';
import { isExecutable } from '../hosts/executables';
import { LaunchError } from '../job/start-error';

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
