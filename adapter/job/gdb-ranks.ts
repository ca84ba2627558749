/**
 * The ranks of one gdb: turns its notifications per thread into what happens to whole ranks.
 *
 * A rank stops as a whole: gdb (non-stop) stops one thread only, so the rank's other threads are interrupted then, and
 * the stop is told when all of them have stopped. A rank that continues or steps runs with all its threads: a thread
 * that steps may wait for another one (OpenMP, the progress threads of MPI libraries; of these, see RankMoves).
 */
import { EventEmitter } from 'node:events';
import type { Gdb, GdbStop } from '../gdb/gdb';
import { optionalText } from '../gdb/mi-values';
import type { StepKind } from '../gdb/program-execution';
import { targetDetach } from '../gdb/target-manipulation';
import { realClock, type Clock } from './clock';
import { LibrarySymbols } from './library-symbols';
import { MomentaryHolds } from './momentary-holds';
import { RankThread, type Rank, type RankEnd, type ThreadStop } from './rank';
import { forgiveDeath } from './rank-ended';
import { RankInterrupts } from './rank-interrupts';
import { RankMoves } from './rank-moves';
import { stopReasonOf, type BreakpointLookup } from './stop-reason';
import { StopWaiters } from './stop-waiters';
import { learnRoles } from './thread-role';

/** A rank has stopped as a whole; `thread` is the one that was the cause. */
export interface RankStop {
  rank: Rank;
  thread: RankThread;
  stop: ThreadStop;
}

export interface RankEvents {
  stopped: [RankStop];
  /** All threads of the rank may run again. */
  continued: [Rank];
  threadStarted: [RankThread];
  threadEnded: [RankThread];
  /** Its state is 'exited' or 'lost', its `end` is set. */
  rankEnded: [Rank];
}

export class GdbRanks extends EventEmitter<RankEvents> {
  private readonly byGroup = new Map<string, Rank>();
  private readonly byThread = new Map<number, RankThread>();
  /** Why the rank is stopping: the first thread with a reason of its own. */
  private readonly causes = new Map<Rank, { thread: RankThread; stop: ThreadStop }>();
  private readonly interrupts: RankInterrupts;
  private readonly moves: RankMoves;
  private readonly moments: MomentaryHolds;
  private readonly waiters = new StopWaiters();
  private readonly symbols: LibrarySymbols;
  /** Its =thread-group-exited came without a code; the *stopped that follows tells the signal. */
  private endedBySignal: Rank | undefined;
  private releasing = false;

  constructor(
    readonly gdb: Gdb,
    private readonly breakpointOf: BreakpointLookup,
    private readonly newThreadId: () => number,
    readonly clock: Clock = realClock,
  ) {
    super();
    this.interrupts = new RankInterrupts(clock);
    this.moves = new RankMoves(this.interrupts, (rank) => this.stopWhole(rank), clock);
    this.moments = new MomentaryHolds(this.interrupts, this.moves);
    this.symbols = new LibrarySymbols(gdb);
    gdb.on('threadCreated', (thread, group) => this.threadCreated(thread, group));
    gdb.on('threadExited', (thread) => this.threadExited(thread));
    gdb.on('running', (thread) => this.running(thread));
    gdb.on('stopped', (stop) => this.stopped(stop));
    gdb.on('groupExited', (group, code) => this.groupExited(group, code));
    gdb.on('closed', () => this.closed());
  }

  get ranks(): readonly Rank[] {
    return [...this.byGroup.values()];
  }

  /** Before the inferior gets its process, so that none of its events is missed. */
  add(rank: Rank): void {
    this.byGroup.set(rank.threadGroup, rank);
  }

  remove(rank: Rank): void {
    this.byGroup.delete(rank.threadGroup);
    for (const thread of rank.threads.splice(0)) this.byThread.delete(thread.gdbThread);
  }

  /** From now on losing this gdb or its processes is intended. */
  release(): void {
    this.releasing = true;
  }

  /** The rank has ended, which gdb did not tell. */
  gone(rank: Rank, end: RankEnd): void {
    if (!rank.alive || this.releasing) return;
    this.ended(rank, 'exited', end);
    // As long as gdb has not waited for the process, the launcher cannot, and does not end.
    targetDetach(rank).catch(forgiveDeath);
  }

  /** Resolves when every thread of the rank is stopped; rejects with RankEndedError when it ends instead. */
  held(rank: Rank): Promise<void> {
    return this.waiters.held(rank);
  }

  /** For a rank that is about to be let go: resolves when it is held the next time. */
  heldAgain(rank: Rank): Promise<void> {
    for (const thread of rank.threads) thread.state = 'running';
    return this.held(rank);
  }

  /** Of the libraries that the rank has now; see LibrarySymbols. */
  async loadSymbols(rank: Rank): Promise<void> {
    await this.symbols.load(rank, this.causes.get(rank)?.stop.reason === 'entry');
  }

  /** Libraries that the held ranks load come and go unseen, until the first stop that is shown. */
  async ignoreLibraries(): Promise<void> {
    await this.symbols.ignore(this.ranks);
  }

  /** Breakpoints in libraries bind as soon as these are loaded; MPI_Init takes longer so. The ranks are held. */
  async loadSymbolsOfLibrariesAtOnce(): Promise<void> {
    await this.symbols.loadAtOnce(this.ranks);
  }

  /**
   * Loads the symbols of the libraries that running ranks have, for breakpoints that are set meanwhile: they are held for
   * a moment, of which nobody is told.
   */
  async glance(): Promise<void> {
    for (const rank of this.ranks) if (!this.symbols.has(rank)) await this.moments.glance(rank);
  }

  /** Does `work` while the rank is held, for a moment if it runs. Rejects as the work does. */
  whileHeld<Result>(rank: Rank, work: () => Promise<Result>): Promise<Result> {
    return this.moments.whileHeld(rank, work);
  }

  /** Threads of which no event tells, by gdb's numbers. */
  addThreads(rank: Rank, gdbThreads: readonly number[]): void {
    for (const thread of gdbThreads) if (!this.byThread.has(thread)) this.threadCreated(thread, rank.threadGroup);
  }

  /** The last stop as an event, for those who listen only now. */
  tellAgain(rank: Rank): void {
    const thread = rank.current;
    if ((rank.state !== 'stopped' && rank.state !== 'core') || thread?.stop === undefined) return;
    this.emit('stopped', { rank, thread, stop: thread.stop });
  }

  /** Lets a rank go that is held before its first instruction. */
  async start(rank: Rank): Promise<void> {
    if (rank.state !== 'starting') return;
    rank.state = 'stopped';
    for (const thread of rank.threads) this.emit('threadStarted', thread);
    await this.continue(rank);
  }

  continue(rank: Rank): Promise<void> {
    return this.moves.continue(rank);
  }

  /** The rank's other threads stay where they are. */
  continueAlone(thread: RankThread): Promise<void> {
    return this.moves.continueAlone(thread);
  }

  /** The same. */
  stepAlone(thread: RankThread, kind: StepKind): Promise<void> {
    return this.moves.stepAlone(thread, kind);
  }

  /** Steps this thread; its rank's other threads run meanwhile. */
  step(thread: RankThread, kind: StepKind): Promise<void> {
    return this.moves.step(thread, kind);
  }

  /** Its stop is told. */
  async interrupt(rank: Rank): Promise<void> {
    this.moments.show(rank);
    await this.interrupts.interrupt(rank);
  }

  private threadCreated(gdbThread: number, group: string): void {
    const rank = this.byGroup.get(group);
    if (rank === undefined) return;
    const thread = new RankThread(this.newThreadId(), rank, gdbThread);
    rank.threads.push(thread);
    this.byThread.set(gdbThread, thread);
    if (rank.state !== 'starting') this.emit('threadStarted', thread);
    this.interrupts.include(thread);
  }

  private threadExited(gdbThread: number): void {
    const thread = this.byThread.get(gdbThread);
    if (thread === undefined) return;
    this.byThread.delete(gdbThread);
    this.moves.threadEnded(thread);
    const { rank } = thread;
    rank.threads.splice(rank.threads.indexOf(thread), 1);
    if (rank.current === thread) rank.current = undefined;
    if (this.causes.get(rank)?.thread === thread) this.causes.delete(rank);
    if (rank.state !== 'starting') this.emit('threadEnded', thread);
    if (this.interrupts.has(rank) && rank.isHeld) this.settled(rank);
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
      this.causes.delete(rank);
      this.emit('continued', rank);
    }
  }

  private stopped(stop: GdbStop): void {
    if (stop.thread === undefined) {
      if (stop.reason === 'exited-signalled' && this.endedBySignal !== undefined) {
        this.ended(this.endedBySignal, 'exited', { signal: optionalText(stop.results, 'signal-name') ?? 'a signal' });
        this.endedBySignal = undefined;
      }
      return;
    }
    const threads = stop.stoppedThreads === 'all' ? [...this.byThread.keys()] : stop.stoppedThreads;
    const ranks = new Set<Rank>();
    for (const number of new Set([stop.thread, ...threads])) {
      const thread = this.byThread.get(number);
      if (thread === undefined) continue;
      thread.state = 'stopped';
      ranks.add(thread.rank);
      const reason = number === stop.thread ? stopReasonOf(stop, this.breakpointOf) : undefined;
      if (reason === undefined) continue;
      thread.stop = reason;
      if (!this.causes.has(thread.rank)) this.causes.set(thread.rank, { thread, stop: reason });
    }
    for (const rank of ranks) this.stopWhole(rank);
  }

  private stopWhole(rank: Rank): void {
    if (this.moves.isResuming(rank)) return;
    if (rank.isHeld) {
      this.settled(rank);
    } else if (rank.state !== 'starting') {
      this.interrupts.interrupt(rank).catch(forgiveDeath);
    }
  }

  private settled(rank: Rank): void {
    this.interrupts.end(rank);
    this.moves.end(rank);
    this.waiters.hasStopped(rank);
    if (rank.state === 'running' && !this.releasing) void this.tellStop(rank).catch(forgiveDeath);
  }

  private async tellStop(rank: Rank): Promise<void> {
    await this.loadSymbols(rank);
    await learnRoles(rank);
    await this.moments.doErrands(rank);
    const isGlance = this.moments.show(rank);
    if (isGlance && !this.causes.has(rank) && rank.state === 'running' && rank.isHeld) {
      await this.continue(rank);
      return;
    }
    const thread = this.causes.get(rank)?.thread ?? rank.current ?? rank.threads[0];
    if (thread === undefined || rank.state !== 'running' || !rank.isHeld) return;
    const stop: ThreadStop = this.causes.get(rank)?.stop ?? { reason: 'pause', breakpoints: [] };
    rank.state = 'stopped';
    rank.current = thread;
    thread.stop = stop;
    this.emit('stopped', { rank, thread, stop });
  }

  private groupExited(group: string, exitCode: number | undefined): void {
    const rank = this.byGroup.get(group);
    if (rank === undefined) return;
    if (this.releasing) this.waiters.hasEnded(rank);
    else if (exitCode === undefined) this.endedBySignal = rank;
    else this.ended(rank, 'exited', { exitCode });
  }

  private closed(): void {
    for (const rank of this.byGroup.values()) {
      if (this.releasing) this.waiters.hasEnded(rank);
      else if (rank.alive) this.ended(rank, 'lost', {});
    }
  }

  private ended(rank: Rank, state: 'exited' | 'lost', end: RankEnd): void {
    const wasStarting = rank.state === 'starting';
    rank.state = state;
    rank.end = end;
    rank.current = undefined;
    this.interrupts.end(rank);
    this.moments.show(rank);
    this.moves.end(rank);
    for (const thread of rank.threads.splice(0)) {
      this.byThread.delete(thread.gdbThread);
      if (!wasStarting) this.emit('threadEnded', thread);
    }
    this.waiters.hasEnded(rank);
    void this.moments.doErrands(rank);
    this.emit('rankEnded', rank);
  }
}
