/**
 * Detects ends of ranks that gdb misses. When a launcher kills its other ranks at once while gdb 13 works on one of
 * them, gdb misses some of their ends ("Cannot find user-level thread for LWP …", seen in every second crash before
 * MPI_Init under MPICH 4.0.2), or even loops forever from then on.
 */
import { ShortageError } from '../elf/shortage-error';
import type { Host } from '../hosts/host';
import type { HostProcess } from '../hosts/host-process';
import type { ProcessLife } from '../hosts/process-life';
import { endOf } from '../hosts/wait-status';
import type { CallOff, Clock } from './clock';
import type { Rank, RankEnd } from './rank';

/** Milliseconds. gdb has missed the end if the process is gone at two checks. */
const interval = 500;

export class ProcessWatch {
  private readonly startTimes = new Map<Rank, string>();
  private readonly gone = new Set<Rank>();
  private callOff: CallOff;
  private hasStopped = false;

  /** `missed` is called for a rank whose end gdb missed, with what the system knows about it. */
  constructor(
    private readonly ranks: () => readonly Rank[],
    private readonly missed: (rank: Rank, end: RankEnd) => void,
    private readonly clock: Clock,
  ) {
    this.callOff = this.lookLater();
  }

  stop(): void {
    this.hasStopped = true;
    this.callOff();
  }

  private lookLater(): CallOff {
    return this.clock.after(interval, () => void this.look());
  }

  /** One question for each host. */
  private async look(): Promise<void> {
    const byHost = new Map<Host, [Rank, HostProcess][]>();
    for (const rank of this.ranks()) {
      const { process } = rank;
      if (!rank.alive || process === undefined) continue;
      byHost.set(process.host, [...(byHost.get(process.host) ?? []), [rank, process]]);
    }
    await Promise.all([...byHost].map(([host, watched]) => this.lookOn(host, watched)));
    if (!this.hasStopped) this.callOff = this.lookLater();
  }

  private async lookOn(host: Host, watched: readonly [Rank, HostProcess][]): Promise<void> {
    const lives = await livesOn(
      host,
      watched.map(([, { pid }]) => pid),
    );
    if (lives === 'unknown' || this.hasStopped) return;
    watched.forEach(([rank], index) => this.lookAt(rank, lives[index]));
  }

  private lookAt(rank: Rank, life: ProcessLife | undefined): void {
    if (!rank.alive) return;
    const startTime = this.startTimes.get(rank) ?? life?.startTime;
    if (startTime !== undefined) this.startTimes.set(rank, startTime);
    // A later process may have the same pid.
    const isThere = life !== undefined && life.endStatus === undefined && life.startTime === startTime;
    if (isThere) this.gone.delete(rank);
    else if (this.gone.has(rank)) this.missed(rank, life?.endStatus === undefined ? {} : endOf(life.endStatus));
    else this.gone.add(rank);
  }
}

async function livesOn(host: Host, pids: readonly number[]): Promise<readonly (ProcessLife | undefined)[] | 'unknown'> {
  try {
    return await host.lives(pids);
  } catch (error) {
    if (error instanceof ShortageError || (error instanceof Error && 'code' in error)) return 'unknown';
    throw error;
  }
}
