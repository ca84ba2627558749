/**
 * A debugger in a process of its own, to be killed by a test:
 *   hold.ts attach PID...            holds the processes
 *   hold.ts run FUNCTION PID...      sets a breakpoint there and lets the processes run
 *   hold.ts launch MPI SAMPLE        holds a launched sample
 * Prints one line of JSON with the pids when that is done, or the error, and waits for its end.
 */
import { attach } from '../../adapter/job-sources/attach';
import { launch } from '../../adapter/job-sources/launch';
import type { Job } from '../../adapter/job/job';
import { launchers, samplePath, type Mpi } from '../support/sample-job';

async function hold([how, ...args]: string[]): Promise<Job> {
  switch (how) {
    case 'attach':
      return attach({ pids: args.map(Number) });
    case 'run': {
      const [name = '', ...pids] = args;
      const job = await attach({ pids: pids.map(Number) });
      const [breakpoint] = await job.breakpoints.replaceFunctions([{ kind: 'function', function: name }]);
      if (breakpoint?.verified !== true) throw new Error(`no breakpoint at ${name}: ${breakpoint?.message}`);
      await job.continue(job.ranks);
      return job;
    }
    case 'launch': {
      const [mpi = 'openmpi', sample = ''] = args as [Mpi, string];
      const programs = [{ program: samplePath(mpi, sample), args: [], ranks: 2 }];
      return launch({ launcher: launchers[mpi].command, programs, cwd: __dirname });
    }
    default:
      throw new Error(`hold.ts does not know ${how}`);
  }
}

hold(process.argv.slice(2)).then(
  (job) => {
    console.log(JSON.stringify({ pids: job.ranks.map(({ pid }) => pid) }));
    setInterval(() => undefined, 60_000);
  },
  (error: Error) => {
    console.log(JSON.stringify({ error: error.message }));
    process.exit(1);
  },
);
