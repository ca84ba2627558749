/** Checks of a launch before anything is started. */
import { stat } from 'node:fs/promises';
import type { LaunchAdvice } from '../job/advice';
import { checkProgramFile } from './executable-file';
import type { LaunchOptions, ProgramSpec } from './launch-options';
import { LaunchError } from '../job/start-error';

/** More than this on one host is a typing error. */
const maxRanks = 1024;

export function totalRanks(programs: readonly ProgramSpec[]): number {
  return programs.reduce((sum, { ranks }) => sum + ranks, 0);
}

/** Rejects with LaunchError. */
export async function checkLaunch({ programs, cwd, stdin }: LaunchOptions): Promise<void> {
  if (programs.length === 0) throw new LaunchError('there is no program to launch', { kind: 'nameProgram' });
  for (const { program, ranks } of programs) {
    checkRanks(ranks);
    checkProgramFile(program);
  }
  checkRanks(totalRanks(programs));
  const folder = await stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true)
    throw new LaunchError(`the working directory ${cwd} does not exist`, { kind: 'workingFolder' });
  if (stdin !== undefined && (await stat(stdin).catch(() => undefined))?.isFile() !== true) {
    throw new LaunchError(`the file ${stdin} for standard input does not exist`, { kind: 'standardInput' });
  }
}

function checkRanks(ranks: number): void {
  const advice: LaunchAdvice = { kind: 'numberOfRanks', max: maxRanks };
  if (!Number.isInteger(ranks) || ranks < 1) throw new LaunchError(`${ranks} is not a valid number of ranks`, advice);
  if (ranks > maxRanks) throw new LaunchError(`${ranks} ranks are too many for one host`, advice);
}
