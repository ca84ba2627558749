/** A running job that is attached to for a whole test: held to be asked, and let go on in between. */
import { adviceText } from '../../adapter/cli/advice';
import { canBeRead, type Rank } from '../../adapter/job/rank';
import type { Job } from '../../adapter/job/job';
import { openJob, type JobTarget } from '../../adapter/job-sources/open-job';
import { JobQueries } from '../../adapter/query/job-queries';
import { positionsOf } from '../../adapter/query/positions/positions';
import type { RankPosition } from '../../plugin-api/hang/position';
import { isUnavailable } from '../../plugin-api/result';

export class HeldJob {
  private constructor(
    private readonly job: Job,
    private readonly queries: JobQueries,
  ) {}

  /** Its ranks are held until `goOn`. */
  static async open(target: JobTarget): Promise<HeldJob> {
    const { job } = await openJob(target);
    // It wakes samples that wait.
    for (const gdb of job.gdbs) await gdb.console('handle SIGUSR1 nostop noprint pass');
    return new HeldJob(job, new JobQueries(job, adviceText));
  }

  /** The positions of all ranks, held. Throws for a rank that has none. */
  async positions(): Promise<RankPosition[]> {
    const found = await positionsOf(this.queries, this.job.ranks);
    return found.map((position) => {
      if ('error' in position) throw new Error(JSON.stringify(position));
      return position;
    });
  }

  /** The version of the MPI of the first rank, "4.1.4". */
  async mpiVersion(): Promise<string> {
    const implementation = await this.queries.of(this.job.ranks[0]!).implementation();
    if (isUnavailable(implementation)) throw new Error(implementation.reason);
    return implementation.version;
  }

  async goOn(): Promise<void> {
    await this.job.continue(this.job.ranks);
  }

  async hold(): Promise<void> {
    const running = new Set(this.job.ranks.filter((rank) => !canBeRead(rank)));
    if (running.size === 0) return;
    const held = new Promise<void>((resolve) => {
      const stopped = ({ rank }: { rank: Rank }): void => {
        running.delete(rank);
        if (running.size > 0) return;
        this.job.off('stopped', stopped);
        resolve();
      };
      this.job.on('stopped', stopped);
    });
    await this.job.interrupt([...running]);
    await held;
  }

  /** Writes the core file of a held rank. */
  async writeCore(rank: number, path: string): Promise<void> {
    const [thread] = this.job.ranks[rank]!.threads;
    const said = await thread!.gdb.console(`gcore ${path}`, thread);
    if (!said.includes('Saved corefile')) throw new Error(`gcore: ${said}`);
  }

  async release(): Promise<void> {
    await this.job.release();
  }
}

/** What a core file tells of its rank's first thread. */
export async function positionInCore(core: string): Promise<RankPosition> {
  const held = await HeldJob.open({ kind: 'cores', cores: [core], program: undefined, searchPath: [] });
  try {
    return (await held.positions())[0]!;
  } finally {
    await held.release();
  }
}
