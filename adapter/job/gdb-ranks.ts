/**
 * The ranks of one gdb: turns its notifications per thread into events of whole ranks.
 *
 * A rank stops as a whole: gdb (non-stop) stops only one thread, so the rank's other threads are then interrupted, and
 * the stop is published when all have stopped. A rank that continues or steps runs with all its threads: a thread that
 * steps may wait for another one (OpenMP, the progress threads of MPI libraries; of these, see RankMoves).
 */
import { EventEmitter } from 'node:events';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import type { Gdb } from '../gdb/gdb';
import type { GdbStop } from '../gdb/stop-record';
import type { StepKind } from '../gdb/mi/program-execution';
import { targetDetach } from '../gdb/mi/target-manipulation';
import { stoppedThreads } from '../gdb/mi/thread-commands';
import { realClock, type Clock } from './clock';
import { recognizeAwaitedPlace } from './awaited-places';
import { FloatTraps } from './float-traps';
import { canBeRead, type LostFile, type Rank, type RankEnd, type RankThread, type StopReason } from './rank';
import { ignoreIfGone } from './rank-ended';
import { ownRank, ThreadRecord, type RankRecord } from './rank-record';
import { RankStops, type RankStop } from './rank-stops';
import { reveal } from './shown-ranks';
import type { BreakpointLookup } from './stop-reason';

export interface RankEvents {
  stopped: [RankStop];
  /** All threads of the rank may run again. */
  continued: [Rank];
  threadStarted: [RankThread];
  threadEnded: [RankThread];
  /** Its state is 'exited' or 'lost', its `end` is set. A rank that is lost may return, and end once more. */
  rankEnded: [Rank];
}

interface GdbRanksEvents extends RankEvents {
  /** They have changed so that nothing of them can be read any more. */
  lostFiles: [readonly LostFile[]];
  /** Something failed for the rank: one sentence. */
  failed: [Rank, why: string];
}

export class GdbRanks extends EventEmitter<GdbRanksEvents> {
  private readonly byGroup = new Map<string, RankRecord>();
  private readonly byThread = new Map<number, ThreadRecord>();
  private readonly stops: RankStops;
  /** Their =thread-group-exited came without a code; the *stopped that follows tells the signal. */
  private readonly endedBySignal: RankRecord[] = [];
  readonly floatTraps: FloatTraps;

  constructor(
    readonly gdb: Gdb,
    lookup: BreakpointLookup,
    private readonly newThreadId: () => number,
    plugins: Pick<PluginRegistry, 'known' | 'libraryCode'>,
    /** See RankStops. */
    concerns: (stop: RankStop) => Promise<boolean>,
    readonly clock: Clock = realClock,
  ) {
    super();
    this.floatTraps = new FloatTraps(plugins.libraryCode, (rank, work) => this.whileHeld(rank, work));
    this.stops = new RankStops(gdb, lookup, plugins.known, clock, {
      concerns,
      stopped: (stop) => this.emit('stopped', stop),
      stopping: async (rank) => {
        await this.floatTraps.recognize(rank);
        await recognizeAwaitedPlace(rank);
      },
      lostFiles: (files) => this.emit('lostFiles', files),
      failed: (rank, why) => this.emit('failed', rank, why),
    });
    gdb.on('threadCreated', (thread, group) => this.threadCreated(thread, group));
    gdb.on('threadExited', (thread) => this.threadExited(thread));
    gdb.on('running', (thread) => this.running(thread));
    gdb.on('stopped', (stop) => this.stopped(stop));
    gdb.on('notStarted', (why) => void this.notStarted(why).catch(ignoreIfGone));
    gdb.on('groupExited', (group, code) => this.groupExited(group, code));
    gdb.on('closed', () => this.closed());
  }

  get ranks(): readonly Rank[] {
    return [...this.byGroup.values()];
  }

  /** Before the inferior gets its process, so that none of its events is missed. */
  add(rank: RankRecord): void {
    this.byGroup.set(rank.threadGroup, rank);
  }

  remove(rank: Rank): void {
    this.byGroup.delete(rank.threadGroup);
    for (const thread of ownRank(rank).threads.splice(0)) this.byThread.delete(thread.gdbThread);
  }

  /** From now on losing this gdb or its processes is intended. */
  release(): void {
    this.stops.release();
  }

  /** Call this after a command of the user: it may have taken a process from gdb, and then no *stopped follows. */
  commandRan(): void {
    for (const rank of this.endedBySignal.splice(0)) this.ended(rank, 'lost', {});
  }

  /** The rank has ended without gdb reporting it. */
  gone(rank: Rank, end: RankEnd): void {
    if (!rank.alive || this.stops.isReleasing) return;
    this.ended(rank, 'exited', end);
    // Until gdb has waited for the process, the launcher cannot do so and does not end.
    targetDetach(rank).catch(ignoreIfGone);
  }

  /** A rank that was lost has ended since. */
  endedAway(of: Rank, end: RankEnd): void {
    const rank = ownRank(of);
    if (rank.state !== 'lost') return;
    rank.state = 'exited';
    rank.isAway = false;
    rank.end = { ...end, whileAway: true };
    this.emit('rankEnded', rank);
  }

  /** Resolves when every thread of the rank is stopped; rejects with RankEndedError when it ends instead. */
  held(rank: Rank): Promise<void> {
    return this.stops.waiters.held(rank);
  }

  /** For a rank that is about to run: resolves when it is next held. */
  heldAgain(rank: Rank): Promise<void> {
    for (const thread of ownRank(rank).threads) thread.state = 'running';
    return this.held(rank);
  }

  /** Loads the symbols of the libraries that the rank has now; see LibrarySymbols. */
  async loadSymbols(rank: Rank): Promise<void> {
    await this.stops.loadSymbols(rank);
  }

  /** Hides from gdb the libraries that the ranks, which are held, load, until the first stop that is shown. */
  async ignoreLibraries(ranks: readonly Rank[]): Promise<void> {
    await this.stops.symbols.ignore(ranks);
  }

  /** Breakpoints in libraries bind as soon as these are loaded; MPI_Init takes longer so. The ranks are held. */
  async loadSymbolsOfLibrariesAtOnce(): Promise<void> {
    await this.stops.symbols.loadAtOnce(this.ranks);
  }

  /**
   * Loads the symbols of the libraries that running ranks have, for breakpoints that are set meanwhile: the ranks are
   * held for a moment, which is not reported.
   */
  async glance(): Promise<void> {
    for (const rank of this.ranks) if (!this.stops.symbols.has(rank)) await this.stops.moments.glance(rank);
  }

  /** See RankStops.reviewSymbols. */
  reviewSymbols(ranks: readonly Rank[] = this.ranks): Promise<readonly Rank[]> {
    return this.stops.reviewSymbols(ranks);
  }

  /** Runs `work` while the rank is held, for a moment if it runs. Rejects as the work does. */
  whileHeld<Result>(rank: Rank, work: () => Promise<Result>): Promise<Result> {
    return this.stops.moments.whileHeld(rank, work);
  }

  /** Adds threads that no event reports, by gdb's numbers. */
  addThreads(rank: Rank, gdbThreads: readonly number[]): void {
    for (const thread of gdbThreads) if (!this.byThread.has(thread)) this.threadCreated(thread, rank.threadGroup);
  }

  /** Emits the last stop again for new listeners. */
  tellAgain(rank: Rank): void {
    const thread = rank.current;
    if (!canBeRead(rank) || thread?.stop === undefined) return;
    this.emit('stopped', { rank, thread, stop: thread.stop });
  }

  /** Starts a rank that is held before its first instruction. */
  async start(rank: Rank): Promise<void> {
    if (rank.state !== 'starting') return;
    ownRank(rank).state = 'stopped';
    for (const thread of rank.threads) this.emit('threadStarted', thread);
    await this.continue(rank);
  }

  /** Shows a rank that is held and has not been started where it is. */
  show(rank: Rank, reason: StopReason): void {
    if (rank.state !== 'starting') return;
    reveal(rank, reason);
    for (const thread of rank.threads) this.emit('threadStarted', thread);
    this.tellAgain(rank);
  }

  async continue(rank: Rank): Promise<void> {
    await this.stops.moves.continue(rank);
    this.resumed(rank);
  }

  /** Continues this thread; its rank's other threads stay where they are. */
  async continueAlone(thread: RankThread): Promise<void> {
    await this.stops.moves.continueAlone(thread);
    this.resumed(thread.rank);
  }

  /** Steps this thread; its rank's other threads stay where they are. */
  async stepAlone(thread: RankThread, kind: StepKind): Promise<void> {
    await this.stops.moves.stepAlone(thread, kind);
    this.resumed(thread.rank);
  }

  /** Steps this thread; its rank's other threads run meanwhile. */
  async step(thread: RankThread, kind: StepKind): Promise<void> {
    await this.stops.moves.step(thread, kind);
    this.resumed(thread.rank);
  }

  /** Its stop is told. */
  async interrupt(rank: Rank): Promise<void> {
    this.stops.moments.show(rank);
    await this.stops.interrupts.interrupt(rank);
  }

  private threadCreated(gdbThread: number, group: string): void {
    const rank = this.byGroup.get(group);
    if (rank === undefined) return;
    // The first one is known by its place; see recallThreads for the others.
    const before = rank.threads.length === 0 ? rank.lostThreads[0] : undefined;
    const thread = new ThreadRecord(before?.id ?? this.newThreadId(), rank, gdbThread);
    rank.threads.push(thread);
    this.byThread.set(gdbThread, thread);
    if (rank.state !== 'starting') this.emit('threadStarted', thread);
    this.stops.interrupts.include(thread);
  }

  private threadExited(gdbThread: number): void {
    const thread = this.byThread.get(gdbThread);
    if (thread === undefined) return;
    this.byThread.delete(gdbThread);
    this.stops.moves.threadEnded(thread);
    const { rank } = thread;
    rank.threads.splice(rank.threads.indexOf(thread), 1);
    if (rank.current === thread) rank.current = undefined;
    this.stops.causes.threadEnded(thread);
    if (rank.state !== 'starting') this.emit('threadEnded', thread);
    if (rank.isHeld) this.stops.leftStanding(rank);
  }

  private async notStarted(why: string): Promise<void> {
    const told = [...this.byThread.values()].filter(({ state }) => state === 'running');
    const standing = await stoppedThreads(this.gdb);
    const threads = told.filter((thread) => thread.state === 'running' && standing.has(thread.gdbThread));
    for (const thread of threads) {
      thread.state = 'stopped';
      this.stops.causes.add({ thread, stop: { reason: 'unknown', breakpoints: [] } });
    }
    for (const rank of new Set(threads.map((thread) => thread.rank))) {
      this.emit('failed', rank, why);
      this.stops.stopWhole(rank);
    }
  }

  /** gdb's answer comes before its *running: a pause that follows at once must not find the rank stopped. */
  private resumed(rank: Rank): void {
    for (const thread of rank.threads) if (thread.state === 'running') this.running(thread.gdbThread);
  }

  private running(which: number | 'all'): void {
    const threads = which === 'all' ? [...this.byThread.values()] : [this.byThread.get(which)];
    for (const thread of threads) {
      if (thread === undefined) continue;
      thread.state = 'running';
      thread.stop = undefined;
      const { rank } = thread;
      if (rank.state !== 'stopped') continue;
      rank.state = 'running';
      this.stops.causes.clear(rank);
      this.emit('continued', rank);
    }
  }

  private stopped(stop: GdbStop): void {
    if (stop.thread === undefined) {
      const signal = stop.cause?.kind === 'end' ? stop.cause.signal : undefined;
      const rank = signal === undefined ? undefined : this.endedBySignal.pop();
      if (rank !== undefined) this.ended(rank, 'exited', { signal });
      return;
    }
    const threads = stop.stoppedThreads === 'all' ? [...this.byThread.keys()] : stop.stoppedThreads;
    const ranks = new Set<Rank>();
    for (const number of new Set([stop.thread, ...threads])) {
      const thread = this.byThread.get(number);
      if (thread === undefined) continue;
      thread.state = 'stopped';
      ranks.add(thread.rank);
      const reason = number === stop.thread ? this.stops.causes.take(thread, stop) : undefined;
      if (reason === 'attach') this.stops.moments.passOver(thread.rank);
      else if (reason !== undefined) thread.stop = reason;
    }
    for (const rank of ranks) {
      if (stop.cause !== undefined || rank.state === 'starting') this.stops.stopWhole(rank);
      else this.stops.stopUnlessEnding(rank).catch(ignoreIfGone);
    }
  }

  private groupExited(group: string, exitCode: number | undefined): void {
    const rank = this.byGroup.get(group);
    if (rank === undefined) return;
    if (this.stops.isReleasing) this.endedUntold(rank);
    else if (exitCode === undefined) this.endedBySignal.push(rank);
    else this.ended(rank, 'exited', { exitCode });
  }

  private closed(): void {
    for (const rank of this.byGroup.values()) {
      if (this.stops.isReleasing) this.endedUntold(rank);
      else this.ended(rank, 'lost', {});
    }
  }

  private endedUntold(rank: Rank): void {
    this.stops.interrupts.end(rank);
    this.stops.waiters.hasEnded(rank);
  }

  private ended(of: Rank, state: 'exited' | 'lost', end: RankEnd): void {
    const rank = ownRank(of);
    // gdb may report late what the system has already reported.
    if (!rank.alive) return;
    const wasStarting = rank.state === 'starting';
    rank.state = state;
    rank.end = end;
    rank.isAway = state === 'lost' && (rank.process?.host.reach ?? 'inReach') !== 'inReach';
    rank.current = undefined;
    if (state === 'lost' && rank.threads.length > 0)
      rank.lostThreads = rank.threads.map(({ id, tid }) => ({ id, tid }));
    this.stops.interrupts.end(rank);
    this.stops.moments.show(rank);
    this.stops.moves.end(rank);
    for (const thread of rank.threads.splice(0)) {
      this.byThread.delete(thread.gdbThread);
      if (!wasStarting) this.emit('threadEnded', thread);
    }
    this.stops.waiters.hasEnded(rank);
    void this.stops.moments.doErrands(rank);
    this.emit('rankEnded', rank);
  }
}
