/** A job without a debugger, its ranks asleep behind MPI_Init: what is attached to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ranksOfLauncher } from '../adapter/job-sources/launcher-tree';
import type { Scenario } from './scenario';

export interface RunningJob {
  pids: readonly number[];
  end(): Promise<void>;
}

export async function startRunningJob({ launcher, launcherArgs, program, ranks }: Scenario): Promise<RunningJob> {
  const job = spawn(launcher, [...launcherArgs, '-n', String(ranks), program, 'sleep'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let ready = 0;
  for await (const line of createInterface({ input: job.stdout })) {
    // Launchers join the lines of several ranks.
    ready += line.split('ready').length - 1;
    if (ready === ranks) break;
  }
  const pids = await ranksOfLauncher(job.pid!);
  return {
    pids,
    async end() {
      const exited = once(job, 'exit');
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await exited;
    },
  };
}
