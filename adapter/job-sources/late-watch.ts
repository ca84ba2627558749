/** Looks again and again for ranks that a running launcher starts on its host, as for MPI_Comm_spawn. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { ShortageError, unlessShort } from '../elf/shortage-error';
import type { Host } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import type { CallOff, Clock } from '../job/clock';
import { StartError } from '../job/start-error';
import { ranksBelow } from '../launchers/launcher-tree';
import { toldOf } from '../launchers/rank-places';

/** Milliseconds. Asking for the children of the launcher and of its daemons takes less than one. */
const interval = 100;
/**
 * Looks. A process that does not show an MPI library, or of a world that nothing names, is taken for what it is by then: it has
 * no MPI_Init, or is linked statically.
 */
const maxDoubts = 20;

export class LateWatch {
  private readonly seen = new Set<number>();
  private readonly doubts = new Map<number, number>();
  private callOff: CallOff = () => undefined;
  private hasStopped = false;

  /** `known`: the pids of ranks that are there. */
  constructor(
    private readonly host: Host,
    private readonly launcher: number,
    known: readonly number[],
    private readonly mpis: KnownMpis,
    private readonly clock: Clock,
    private readonly came: (pid: number) => Promise<unknown>,
  ) {
    for (const pid of known) this.seen.add(pid);
  }

  start(): void {
    this.callOff = this.clock.after(interval, () => void this.look().then(() => this.hasStopped || this.start()));
  }

  stop(): void {
    this.hasStopped = true;
    this.callOff();
  }

  /** Never rejects: the next look may find more. */
  private async look(): Promise<void> {
    try {
      const fresh = await this.newBelow(this.launcher);
      if (fresh.length === 0) return;
      const { ranks } = await ranksBelow(this.host, this.launcher, this.mpis);
      for (const pid of ranks) if (!this.seen.has(pid) && (await this.isRank(pid))) await this.take(pid);
      // A script around a rank, say.
      for (const pid of fresh) if (this.isDoubtful(pid)) this.seen.add(pid);
    } catch (error) {
      if (!(error instanceof StartError || error instanceof ShortageError)) throw error;
    }
  }

  private async take(pid: number): Promise<void> {
    if (this.hasStopped) return;
    this.seen.add(pid);
    await this.came(pid);
  }

  /** Processes that launchers have started and that no look has told yet. */
  private async newBelow(pid: number): Promise<number[]> {
    const found: number[] = [];
    for (const child of await new HostProcess(this.host, pid).children()) {
      if (this.seen.has(child)) continue;
      const status = await new HostProcess(this.host, child).status();
      if (status === undefined) continue;
      found.push(...(this.mpis.startsRanks(status.name) ? await this.newBelow(child) : [child]));
    }
    return found;
  }

  /** It has been looked at long enough. */
  private isDoubtful(pid: number): boolean {
    const doubts = (this.doubts.get(pid) ?? 0) + 1;
    this.doubts.set(pid, doubts);
    return doubts > maxDoubts;
  }

  private async isRank(pid: number): Promise<boolean> {
    if (this.isDoubtful(pid)) return true;
    const process = new HostProcess(this.host, pid);
    const maps = await process.maps().catch(unlessShort([]));
    return maps.some(({ path }) => this.mpis.isMpi(path)) && !(await toldOf(process, this.mpis)).isUnplaced;
  }
}
