/** The processes of a job that is attached to that are not in it, and come to it later: those that start then, and those that were refused. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { GdbPool } from '../gdb/gdb-pool';
import { localHost } from '../hosts/local-host';
import { realClock } from '../job/clock';
import type { AbsentRank, JobHost } from '../job/job';
import type { Rank } from '../job/rank';
import { LateRanks, type Joining } from './late-ranks';
import { LateWatch } from './late-watch';
import { ReturningRanks } from './returning-ranks';
import { absentRank, nameOfRefused, RefusedWatch, type Refused } from './refused-processes';

export interface Others {
  dead: readonly AbsentRank[];
  refused: readonly Refused[];
  /** Those that were refused come to the job when they can be attached to. */
  takesUpRefused: boolean;
  /** Ranks that this launcher on our host starts later come to the job. */
  launcherOfLate: number | undefined;
}

/** A process of the job that comes to it while it is debugged. */
const joining: Joining = {
  seesAll: false,
  whenLost: 'continue',
  held: () => Promise.resolve(),
  failed: () => Promise.resolve(),
  prepare: (group, rank) => group.loadSymbols(rank),
};

export class OtherProcesses {
  private readonly watches: { start(): void; stop(): void }[] = [];
  private refused: readonly Refused[];
  private late: LateRanks | undefined;
  private returning: ReturningRanks | undefined;
  private hasStopped = false;

  /** `attaching`: is told of each attempt. */
  constructor(
    private readonly job: JobHost,
    private readonly pool: GdbPool,
    private readonly mpis: KnownMpis,
    private readonly others: Others,
    private readonly attaching: (work: Promise<void>) => Promise<unknown>,
  ) {
    this.refused = others.refused;
    this.setAbsent();
  }

  /** gdb could not attach to these. */
  leaveOut(refused: readonly Refused[]): void {
    this.refused = [...this.refused, ...refused];
    this.setAbsent();
  }

  /** Those that can be attached to come to the job from now on. */
  async watch(): Promise<void> {
    const { job, pool, mpis, refused } = this;
    const { launcherOfLate: launcher, takesUpRefused } = this.others;
    const host = pool.hostNamed(localHost.name);
    const late = new LateRanks(job, pool, mpis, refused);
    this.late = late;
    if (launcher !== undefined && host !== undefined) {
      const known = [...job.ranks.flatMap(({ pid }) => pid ?? []), ...refused.map(({ process }) => process.pid)];
      const came = (pid: number): Promise<unknown> => this.attaching(late.join(host, pid, joining));
      this.watches.push(new LateWatch(host, launcher, known, mpis, realClock, came));
    }
    if (takesUpRefused)
      this.watches.push(new RefusedWatch(refused, realClock, (one) => this.attaching(this.takeUp(one, late))));
    if (this.watches.length > 0) await late.learn();
    if (!this.hasStopped) for (const watch of this.watches) watch.start();
  }

  /** Ranks that were lost with their host. `stopped`: those that were found stopped by a signal. Never rejects. */
  async takeBack(ranks: readonly Rank[], stopped: ReadonlySet<Rank>): Promise<void> {
    const { late } = this;
    if (late === undefined) return this.job.awaitReturn(ranks);
    this.returning ??= new ReturningRanks(
      this.job,
      this.pool,
      late,
      (rank) => ({
        ...joining,
        whenLost: stopped.has(rank) ? 'stop' : 'continue',
      }),
      this.mpis,
    );
    await this.returning.takeBack(ranks);
  }

  stop(): void {
    this.hasStopped = true;
    this.returning?.stop();
    for (const watch of this.watches) watch.stop();
  }

  /** Never rejects: the user is told. */
  private async takeUp(one: Refused, late: LateRanks): Promise<void> {
    const others = this.refused.filter((each) => each !== one);
    try {
      await late.takeUp(one, joining);
      this.refused = others;
      this.job.tell(`${nameOfRefused(one)} can be attached to now, and is in the session`);
    } catch (error) {
      const why = (error as Error).message;
      this.refused = [...others, { ...one, why }];
      this.job.tell(`${nameOfRefused(one)} is not in the session: ${why}`);
    }
    this.setAbsent();
  }

  private setAbsent(): void {
    this.job.setAbsent([...this.others.dead, ...this.refused.map(absentRank)]);
  }
}
