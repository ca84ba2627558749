/** Runs the commands of a batch system. */
import { complaintIn } from '../../../plugin-api/complaint';
import { execFile } from 'node:child_process';
import type { BatchSystem } from '../../../plugin-api/batch/batch-system';
import { StartError } from '../../job/start-error';
import { findExecutable } from '../../hosts/executables';

/** Milliseconds: commands of Slurm wait for minutes where its controller does not answer. */
const patience = 10_000;

/** An environment without the variables that the commands would take for wishes. */
export function unwishful({ isWish }: BatchSystem, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isWish(name)));
}

/** Whether its commands are in PATH: several batch systems have commands of one name. */
export function isHere({ ownCommand }: BatchSystem, env: NodeJS.ProcessEnv): boolean {
  return findExecutable(ownCommand, '/', env.PATH) !== undefined;
}

/** The batch system is not installed here, or its commands are not in PATH. */
export class MissingCommandError extends StartError {
  override name = 'MissingCommandError';
}

/**
 * What a command prints. Rejects with StartError where it is not there (MissingCommandError), does not answer, or, with its last words, where it fails.
 */
export function ask(
  system: BatchSystem,
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { title } = system;
  const options = { env: unwishful(system, env), timeout: patience, maxBuffer: 64 << 20 };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, printed, complaint) => {
      if (error === null) resolve(printed);
      else if (error.code === 'ENOENT')
        reject(new MissingCommandError(`there is no command ${command}: ${title}'s commands have to be in PATH`));
      else if (error.killed === true)
        reject(new StartError(`${command} of ${title} does not answer within ${patience / 1000} s`));
      else reject(new StartError(`${command} of ${title} failed: ${complaintIn(complaint) ?? error.message}`));
    });
  });
}
