/** Programs that the launcher of another MPI starts: each process is then a job of its own, rank 0 of 1. */
import { resolve } from 'node:path';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { LaunchError, StartError } from '../../job/start-error';
import { chooseLauncher } from '../../launchers/choose-launcher';
import { findExecutable } from '../../hosts/executables';
import { launcherAt } from '../../launchers/launcher-files';
import { programWords } from '../../launchers/program-words';

/** One sentence; undefined where launcher and programs belong together, or it is not known. */
export async function foreignLauncher(command: readonly string[], mpis: KnownMpis): Promise<string | undefined> {
  const [name = '', ...args] = command;
  const cwd = process.cwd();
  const path = findExecutable(name, cwd, process.env.PATH);
  const facts = path === undefined ? undefined : (await launcherAt(path, mpis))?.facts;
  if (path === undefined || facts === undefined) return undefined;
  const programs = programWords(args, facts, cwd, process.env.PATH).flatMap(
    (at) => findExecutable(args[at]!, cwd, process.env.PATH) ?? [],
  );
  for (const program of programs.map((each) => resolve(each)))
    try {
      await chooseLauncher({ programs: [program], launcher: path, cwd, env: process.env, mpis });
    } catch (error) {
      const advice = error instanceof LaunchError ? error.launchNotice.advice : undefined;
      if (!(error instanceof StartError)) throw error;
      if (advice?.kind === 'otherLauncher')
        return `${error.message}: each of its processes will be rank 0 of 1; start it with the launcher of ${advice.title}`;
    }
  return undefined;
}
