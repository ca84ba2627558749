/** Ranks that were lost with their host and run there: the session takes them up again when the host is back. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { GdbPool } from '../gdb/gdb-pool';
import type { GdbHost } from '../hosts/host';
import { refusalBefore } from '../hosts/ptrace-refusal';
import { realClock } from '../job/clock';
import type { JobHost } from '../job/job';
import { namesOf } from '../job/names-of-ranks';
import type { Rank } from '../job/rank';
import { forgiveEnd } from '../job/rank-ended';
import { learnRoles } from '../job/thread-role';
import type { Joining, LateRanks } from './late-ranks';
import { RefusedWatch, startTimeOf } from './refused-processes';

export class ReturningRanks {
  private readonly watches = new Set<RefusedWatch>();
  private hasStopped = false;

  constructor(
    private readonly job: JobHost,
    private readonly pool: GdbPool,
    private readonly late: LateRanks,
    private readonly joiningOf: (rank: Rank) => Omit<Joining, 'begin'>,
    private readonly mpis: KnownMpis,
  ) {}

  stop(): void {
    this.hasStopped = true;
    for (const watch of this.watches) watch.stop();
  }

  /** All of one host. Never rejects: the user is told. */
  async takeBack(ranks: readonly Rank[]): Promise<void> {
    const host = this.pool.hostNamed(ranks[0]!.host);
    if (host === undefined || this.hasStopped) return;
    try {
      for (const gdb of await this.pool.startAgain(host, ranks.length)) await this.job.addGdb(gdb, host);
    } catch (error) {
      return this.failed(ranks, host, error);
    }
    for (const rank of ranks) await this.take(rank, host);
    await this.begin(ranks.filter((rank) => rank.state === 'starting'));
    this.tellBack(ranks);
  }

  /** It is held then. */
  private async take(rank: Rank, host: GdbHost): Promise<void> {
    if (this.hasStopped) return;
    try {
      await this.late.takeBack(rank, host, { ...this.joiningOf(rank), begin: () => Promise.resolve() });
    } catch (error) {
      await this.refused(rank, host, error);
    }
  }

  /** They run on, or stay where they are as all others do. */
  private async begin(held: readonly Rank[]): Promise<void> {
    if (this.hasStopped) return;
    const isPaused = this.isPausedBut(held);
    await Promise.all(
      held.map(async (rank) => {
        const group = this.job.group(rank);
        if (!isPaused) return group.start(rank).catch(forgiveEnd);
        await learnRoles(rank, this.mpis).catch(forgiveEnd);
        group.show(rank, 'attach');
      }),
    );
  }

  /** The user has stopped all others. */
  private isPausedBut(ranks: readonly Rank[]): boolean {
    const others = this.job.ranks.filter((rank) => rank.alive && !ranks.includes(rank));
    // Another host may be coming back, too.
    const shown = others.filter(({ state }) => state !== 'starting');
    return shown.length > 0 && shown.every(({ state }) => state === 'stopped');
  }

  private tellBack(ranks: readonly Rank[]): void {
    const back = ranks.filter((rank) => rank.alive);
    if (back.length === 0 || this.hasStopped) return;
    this.job.tell(`${namesOf(back)} on ${back[0]!.host} ${back.length === 1 ? 'is' : 'are'} back in the session`);
  }

  private failed(ranks: readonly Rank[], host: GdbHost, error: unknown): void {
    if (this.hasStopped) return;
    // It is out of reach again.
    if (host.reach !== 'inReach') return this.job.awaitReturn(ranks);
    const are = ranks.length === 1 ? 'is' : 'are';
    this.job.tell(`${namesOf(ranks)} on ${host.name} ${are} not back in the session: ${(error as Error).message}`);
  }

  /** Tells the user why, and tries again once nothing prevents it. */
  private async refused(rank: Rank, host: GdbHost, error: unknown): Promise<void> {
    this.failed([rank], host, error);
    const { process } = rank;
    if (process === undefined || host.reach !== 'inReach' || (await refusalBefore(process)) === undefined) return;
    const { number, world, worldSize, hasOtherWorlds } = rank;
    const place = { pid: process.pid, number, world, worldSize, hasOtherWorlds };
    const why = (error as Error).message;
    const waiting = { host, process, place, why, startTime: await startTimeOf(process) };
    const watch = new RefusedWatch([waiting], realClock, async () => {
      this.watches.delete(watch);
      await this.takeBack([rank]);
    });
    this.watches.add(watch);
    watch.start();
  }
}
