/** Checks of a launch before anything is started. */
import { stat } from 'node:fs/promises';
import { checkProgramFile } from './executable-file';
import type { LaunchOptions, ProgramSpec } from './launch-options';
import { StartError } from '../job/start-error';

/** More than this on one host is a typing error. */
const maxRanks = 1024;

export function totalRanks(programs: readonly ProgramSpec[]): number {
  return programs.reduce((sum, { ranks }) => sum + ranks, 0);
}

/** Rejects with StartError. */
export async function checkLaunch({ programs, cwd, stdin }: LaunchOptions): Promise<void> {
  if (programs.length === 0) throw new StartError('there is no program to launch: name one with "program"');
  for (const { program, ranks } of programs) {
    checkRanks(ranks);
    checkProgramFile(program);
  }
  checkRanks(totalRanks(programs));
  const folder = await stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true)
    throw new StartError(`the working directory ${cwd} does not exist: correct "cwd"`);
  if (stdin !== undefined && (await stat(stdin).catch(() => undefined))?.isFile() !== true) {
    throw new StartError(`the file ${stdin} for standard input does not exist: correct "stdin"`);
  }
}

function checkRanks(ranks: number): void {
  if (!Number.isInteger(ranks) || ranks < 1) {
    throw new StartError(`${ranks} is not a valid number of ranks: set "ranks" to 1 or more`);
  }
  if (ranks > maxRanks) {
    throw new StartError(`${ranks} ranks are too many for one host: set "ranks" to at most ${maxRanks}`);
  }
}
