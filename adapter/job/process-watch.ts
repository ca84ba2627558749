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

/** What is heard about processes whose gdb missed something, or is gone. */
export interface ProcessNews {
  /** The rank has ended; with what the system knows about it. */
  missed(rank: Rank, end: RankEnd): void;
  /** The processes of these ranks, which were lost with their gdb or their host, run without a debugger. Once for each. */
  runFree(ranks: readonly Rank[]): void;
}

/** Milliseconds. gdb has missed the end if the process is gone at two checks. */
const interval = 500;

export class ProcessWatch {
  private readonly startTimes = new Map<Rank, string>();
  private readonly gone = new Set<Rank>();
  private readonly free = new Set<Rank>();
  private callOff: CallOff;
  private hasStopped = false;

  constructor(
    private readonly ranks: () => readonly Rank[],
    private readonly news: ProcessNews,
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
      if (process === undefined || !this.isWatched(rank)) continue;
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
    watched.forEach(([rank], index) => rank.alive && this.lookAt(rank, lives[index]));
    const free = watched.flatMap(([rank], index) => (this.isFree(rank, lives[index]) ? [rank] : []));
    for (const rank of free) this.free.add(rank);
    if (free.length > 0) this.news.runFree(free);
  }

  private isWatched(rank: Rank): boolean {
    return rank.alive || (rank.state === 'lost' && !this.free.has(rank));
  }

  private isFree(rank: Rank, life: ProcessLife | undefined): boolean {
    if (rank.state !== 'lost' || life === undefined || life.endStatus !== undefined) return false;
    return life.startTime === this.startTimes.get(rank) && !life.isStopped;
  }

  private lookAt(rank: Rank, life: ProcessLife | undefined): void {
    const startTime = this.startTimes.get(rank) ?? life?.startTime;
    if (startTime !== undefined) this.startTimes.set(rank, startTime);
    // A later process may have the same pid.
    const isThere = life !== undefined && life.endStatus === undefined && life.startTime === startTime;
    if (isThere) this.gone.delete(rank);
    else if (this.gone.has(rank)) this.news.missed(rank, life?.endStatus === undefined ? {} : endOf(life.endStatus));
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
