/**
 * From the stop of one thread to that of its rank: the other threads are interrupted, the rank is queried, and the stop
 * is published; or the rank continues, if it was held only for a moment.
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { Gdb } from '../gdb/gdb';
import { localHost } from '../hosts/local-host';
import { ShortageError } from '../elf/shortage-error';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Clock } from './clock';
import { LibrarySymbols } from './library-symbols';
import { newFilesIn } from './lost-files';
import { MomentaryHolds } from './momentary-holds';
import type { LostFile, Rank, RankThread, ThreadStop } from './rank';
import { ignoreIfGone } from './rank-ended';
import { RankInterrupts } from './rank-interrupts';
import { ownRank, ownThread } from './rank-record';
import { RankMoves } from './rank-moves';
import { StopCauses } from './stop-causes';
import type { BreakpointLookup } from './stop-reason';
import { StopWaiters } from './stop-waiters';
import { learnRoles } from './thread-role';

/** It is on this host. */
export function isNear({ process }: Rank): boolean {
  return process?.host.name === localHost.name;
}

/** Milliseconds within which gdb reports the ends of all threads of an ending process: with two threads it took 25. */
const endingTime = 300;

/** A rank has stopped as a whole; `thread` is the one that was the cause. */
export interface RankStop {
  rank: Rank;
  thread: RankThread;
  stop: ThreadStop;
}

/** Who is notified. */
interface Told {
  stopped: (stop: RankStop) => void;
  /** Before that: the rank is held, and what its threads stopped for is known. */
  stopping?: (rank: Rank) => Promise<void>;
  /** They have changed since the last stop so that nothing of them can be read any more. */
  lostFiles: (files: readonly LostFile[]) => void;
  /** Something failed for the rank: one sentence. */
  failed: (rank: Rank, why: string) => void;
  /**
   * Whether a rank that is held, and has stopped to die or for a signal, is to be shown: the user may have asked for some
   * deaths only, and signals may be repeated.
   */
  concerns: (stop: RankStop) => Promise<boolean>;
}

export class RankStops {
  readonly causes: StopCauses;
  readonly interrupts: RankInterrupts;
  readonly moves: RankMoves;
  readonly moments: MomentaryHolds;
  readonly symbols: LibrarySymbols;
  readonly waiters = new StopWaiters();
  /** Losing the gdb or its processes is intended; no stop is published, and no rank continues by itself. */
  isReleasing = false;

  constructor(
    gdb: Gdb,
    lookup: BreakpointLookup,
    private readonly mpis: KnownMpis,
    private readonly clock: Clock,
    private readonly told: Told,
  ) {
    this.causes = new StopCauses(lookup);
    this.interrupts = new RankInterrupts(clock);
    this.moves = new RankMoves(this.interrupts, (rank) => this.stopWhole(rank), clock);
    this.moments = new MomentaryHolds(this.interrupts, this.moves);
    this.symbols = new LibrarySymbols(gdb);
  }

  release(): void {
    this.isReleasing = true;
  }

  /** Loads the symbols of the libraries that the rank has now; see LibrarySymbols. */
  async loadSymbols(rank: Rank): Promise<void> {
    const reason = this.causes.of(rank)?.stop.reason;
    // To ask another host would double the time of a step, in which files hardly change.
    if (reason === 'step' && !isNear(rank) && this.symbols.has(rank)) return;
    await this.symbols.load(rank, reason === 'entry');
  }

  /** Only stopped threads are left: the rank has stopped, unless its process is ending thread by thread. */
  leftStanding(rank: Rank): void {
    this.clock.after(endingTime, () => {
      if (rank.isHeld) this.stopUnlessEnding(rank).catch(ignoreIfGone);
    });
  }

  /** gdb says that a thread stands, and not why: it says so, too, of one whose process has just been killed, until it gets to that. */
  async stopUnlessEnding(rank: Rank): Promise<void> {
    // Where that cannot be looked up, it counts as a stop.
    const isEnding = !((await rank.process?.hasStoppedThread().catch(() => true)) ?? true);
    if (!rank.alive || rank.state === 'stopped') return;
    if (isEnding) this.leftStanding(rank);
    else this.stopWhole(rank);
  }

  /** A thread of the rank has stopped: the rank stops, or has, if it was the last one. */
  stopWhole(rank: Rank): void {
    if (this.moves.isResuming(rank)) return;
    if (rank.isHeld) {
      this.settled(rank);
    } else if (rank.state !== 'starting') {
      this.interrupts.interrupt(rank).catch(ignoreIfGone);
    }
  }

  private settled(rank: Rank): void {
    const isPartial = this.moves.isPartial(rank);
    this.interrupts.end(rank);
    this.moves.end(rank);
    this.waiters.hasStopped(rank);
    if (rank.state === 'running' && !this.isReleasing) void this.showStop(rank, isPartial).catch(ignoreIfGone);
  }

  /** Publishes the stop, or continues a rank that was held only for a moment. `isPartial`: see RankMoves. */
  private async showStop(rank: Rank, isPartial: boolean): Promise<void> {
    const isPassedOver = await this.isPassedOver(rank);
    if (!isPassedOver || this.moments.hasErrands(rank)) {
      do await this.prepareStop(rank);
      while (this.moments.hasErrands(rank));
    }
    // Meanwhile it may have ended or been published, and after a release it must not run.
    if (rank.state !== 'running' || !rank.isHeld || this.isReleasing) return;
    const isUnseen = this.moments.show(rank) || (isPassedOver && !isPartial);
    if (isUnseen && this.causes.of(rank) === undefined) await this.moves.continue(rank);
    else this.publishStop(rank);
  }

  /** It has stopped in a way that the user has not asked for. */
  private async isPassedOver(rank: Rank): Promise<boolean> {
    const cause = this.causes.of(rank);
    const { death, signal } = cause?.stop ?? {};
    if (cause === undefined || (death ?? signal) === undefined || (await this.told.concerns({ rank, ...cause })))
      return false;
    this.causes.clear(rank);
    ownThread(cause.thread).stop = undefined;
    return true;
  }

  /**
   * The files of these ranks may have changed while they stand or run: then gdb reads the symbols again, while the ranks are held.
   * Resolves with the ranks whose symbols it has read.
   */
  async reviewSymbols(ranks: readonly Rank[]): Promise<readonly Rank[]> {
    const alive = ranks.filter((rank) => rank.alive);
    const areOutdated = await Promise.all(alive.map((rank) => this.symbols.areOutdated(rank)));
    const outdated = alive.filter((_, index) => areOutdated[index]);
    for (const rank of outdated)
      await this.moments.whileHeld(rank, () => this.refreshSymbols(rank)).catch(ignoreIfGone);
    return outdated;
  }

  /** Everything that must be queried or done before anybody looks at the rank. */
  private async prepareStop(rank: Rank): Promise<void> {
    await this.refreshSymbols(rank);
    await this.asFarAsPossible(rank, 'its threads cannot be told from those of libraries', () =>
      learnRoles(rank, this.mpis),
    );
    await this.asFarAsPossible(rank, 'what it has stopped for is not fully known', async () =>
      this.told.stopping?.(rank),
    );
    await this.moments.doErrands(rank);
  }

  private refreshSymbols(rank: Rank): Promise<void> {
    const before = rank.lostFiles;
    return this.asFarAsPossible(rank, 'the symbols of its libraries cannot be read', async () => {
      await this.loadSymbols(rank);
      if (rank.lostFiles !== before) this.told.lostFiles(newFilesIn(rank.lostFiles, before));
    });
  }

  /** The rank has stopped anyway: what cannot be looked at is reported, and the stop is shown all the same. */
  private async asFarAsPossible(rank: Rank, lack: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof GdbError || error instanceof ShortageError)) throw error;
      if (rank.alive) this.told.failed(rank, `${lack}: ${error.message}`);
    }
  }

  private publishStop(of: Rank): void {
    const rank = ownRank(of);
    const cause = this.causes.of(rank);
    const thread = cause === undefined ? (rank.current ?? rank.threads[0]!) : ownThread(cause.thread);
    const stop: ThreadStop = cause?.stop ?? { reason: 'pause', breakpoints: [] };
    rank.state = 'stopped';
    rank.current = thread;
    thread.stop = stop;
    this.told.stopped({ rank, thread, stop });
  }
}
