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
  /** The processes of these ranks, which were lost with their gdb or their host, run without our debugger. Once for each. */
  runFree(ranks: readonly Rank[]): void;
  /** The process of a rank that was lost has ended, and nobody was there. Once for each. */
  endedFree(rank: Rank, end: RankEnd): void;
}

/** Milliseconds. gdb has missed the end if the process is gone at two checks. */
const interval = 500;

export class ProcessWatch {
  private readonly startTimes = new Map<Rank, string>();
  private readonly gone = new Set<Rank>();
  /** Those that were lost, of which it has been told what has become of them. */
  private readonly told = new Set<Rank>();
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

  /** What becomes of these ranks, which are lost, is told once more. */
  watchAgain(ranks: readonly Rank[]): void {
    for (const rank of ranks) this.told.delete(rank);
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
    const lost = watched.flatMap(([rank], index) => (rank.state === 'lost' ? [{ rank, life: lives[index] }] : []));
    const free = lost.flatMap(({ rank, life }) => (this.isThere(rank, life) && isFree(rank, life) ? [rank] : []));
    const ended = lost.filter(({ rank, life }) => this.startTimes.has(rank) && !this.isThere(rank, life));
    for (const rank of [...free, ...ended.map((each) => each.rank)]) this.told.add(rank);
    for (const { rank, life } of ended) this.news.endedFree(rank, this.endIn(rank, life));
    if (free.length > 0) this.news.runFree(free);
  }

  private isWatched(rank: Rank): boolean {
    return rank.alive || (rank.state === 'lost' && !this.told.has(rank));
  }

  /** A later process may have the same pid. */
  private isThere(rank: Rank, life: ProcessLife | undefined): life is ProcessLife {
    return life !== undefined && life.endStatus === undefined && life.startTime === this.startTimes.get(rank);
  }

  private lookAt(rank: Rank, life: ProcessLife | undefined): void {
    const startTime = this.startTimes.get(rank) ?? life?.startTime;
    if (startTime !== undefined) this.startTimes.set(rank, startTime);
    if (this.isThere(rank, life)) this.gone.delete(rank);
    else if (this.gone.has(rank)) this.news.missed(rank, this.endIn(rank, life));
    else this.gone.add(rank);
  }

  private endIn(rank: Rank, life: ProcessLife | undefined): RankEnd {
    const isItsOwn = life?.startTime === this.startTimes.get(rank);
    return isItsOwn && life?.endStatus !== undefined ? endOf(life.endStatus) : {};
  }
}

/** One that was found stopped has been left so. Whoever holds one that was away is a debugger of somebody else. */
function isFree({ foundAs, isAway }: Rank, { stopped }: ProcessLife): boolean {
  if (stopped === 'bySignal') return foundAs === 'T';
  return stopped === undefined || isAway;
}

async function livesOn(host: Host, pids: readonly number[]): Promise<readonly (ProcessLife | undefined)[] | 'unknown'> {
  try {
    return await host.lives(pids);
  } catch (error) {
    if (error instanceof ShortageError || (error instanceof Error && 'code' in error)) return 'unknown';
    throw error;
  }
}
