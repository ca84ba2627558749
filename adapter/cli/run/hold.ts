/** A job that does not end yet: somebody may attach to it. */
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { tell } from '../../hosts/standard-streams';
import { inTime, realClock } from '../../job/clock';
import { attachLines, type Attachable } from '../attach-lines';
import { batchJobOf } from './report-name';
import type { UserLauncher } from './user-launcher';

/** Says how to attach. Resolves when the time is up, or as soon as the job ends or is asked to end. */
export async function hold(
  seconds: number,
  { pid, ending }: Pick<UserLauncher, 'pid' | 'ending'>,
  known: KnownMpis,
): Promise<void> {
  if (pid === undefined || ending.aborted) return;
  const target = attachable(pid, known, process.env);
  await tell(`the job is held for ${inWords(seconds)}`, ...attachLines(target).map((line) => `  ${line}`));
  const ended = new Promise<void>((resolve) => ending.addEventListener('abort', () => resolve(), { once: true }));
  await inTime(realClock, ended, seconds * 1000);
}

/** By the number of its batch job where mpidbg finds the ranks of one. */
function attachable(launcherPid: number, known: KnownMpis, env: NodeJS.ProcessEnv): Attachable {
  const job = batchJobOf(known, env);
  const system = known.batchSystems.find(({ jobVariable }) => env[jobVariable] !== undefined);
  const isFound = job !== undefined && system?.onEachNode !== undefined && system.jobPattern.test(job);
  return isFound ? { job } : { launcherPid };
}

function inWords(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
