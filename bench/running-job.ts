/** A job without a debugger, its ranks asleep behind MPI_Init: what is attached to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { localHost } from '../adapter/hosts/local-host';
import { ranksOfLauncher } from '../adapter/launchers/launcher-tree';
import { killIfThere } from '../test/support/sample-job';
import type { Scenario } from './scenario';

export interface RunningJob {
  launcherPid: number;
  pids: readonly number[];
  end(): Promise<void>;
}

/** `through`: a command that ends with executing the rest of its arguments; `args`: those of the program. */
export async function startRunningJob(
  { launcher, launcherArgs, program, ranks }: Pick<Scenario, 'launcher' | 'launcherArgs' | 'program' | 'ranks'>,
  through: readonly string[] = [],
  args: readonly string[] = ['sleep'],
): Promise<RunningJob> {
  const job = spawn(launcher, [...launcherArgs, '-n', String(ranks), ...through, program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let ready = 0;
  for await (const line of createInterface({ input: job.stdout })) {
    // Launchers join the lines of several ranks.
    ready += line.split('ready').length - 1;
    if (ready === ranks) break;
  }
  const pids = await ranksOfLauncher(localHost, job.pid!);
  return {
    launcherPid: job.pid!,
    pids,
    async end() {
      for (const pid of pids) killIfThere(pid);
      if (job.exitCode === null && job.signalCode === null) await once(job, 'exit');
    },
  };
}
