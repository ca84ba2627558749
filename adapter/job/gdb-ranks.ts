/**
 * The ranks of one gdb: turns its notifications per thread into what happens to whole ranks.
 *
 * A rank stops as a whole: gdb (non-stop) stops one thread only, so the rank's other threads are interrupted then, and
 * the stop is told when all of them have stopped. A rank that continues or steps runs with all its threads: a thread
 * that steps may wait for another one (OpenMP, the progress threads of MPI libraries; of these, see shortStep).
 */
import { EventEmitter } from 'node:events';
import { sharedLibrary } from '../gdb/file-commands';
import type { Gdb, GdbStop } from '../gdb/gdb';
import { GdbError } from '../gdb/mi-connection';
import { optionalText } from '../gdb/mi-values';
import { execContinue, execInterrupt, execStep, type StepKind } from '../gdb/program-execution';
import { gdbSet } from '../gdb/support-commands';
import { targetDetach } from '../gdb/target-manipulation';
import { LibraryEvents } from './library-events';
import { learnRoles } from './thread-role';
import { stopReasonOf, type BreakpointLookup } from './stop-reason';
import { RankThread, type Rank, type RankEnd, type StopReason, type ThreadStop } from './rank';

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

/** A rank ended while something waited for it to stop. */
export class RankEndedError extends Error {
  constructor(readonly rank: Rank) {
    super(`${rank.label} ended`);
    this.name = 'RankEndedError';
  }
}

/**
 * Milliseconds that a step takes at most while the helper threads of the MPI library stay as they are. Letting them go
 * and stopping them again takes longer than most steps; a step over a call that waits for one of them lasts.
 */
const shortStep = 50;
/** A program that is stepped through a loop around MPI_Test needs them now and then, too. */
const mostStepsWithoutHelpers = 8;

/** Milliseconds. A process that the kernel does not let stop is let go as it is. */
const longestInterrupt = 3000;

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

export class GdbRanks extends EventEmitter<RankEvents> {
  private readonly byGroup = new Map<string, Rank>();
  private readonly byThread = new Map<number, RankThread>();
  /** Why the rank is stopping: the first thread with a reason of its own. */
  private readonly causes = new Map<Rank, { thread: RankThread; stop: ThreadStop }>();
  private readonly interrupting = new Set<Rank>();
  /** Milliseconds count from the step: helper threads are let go when it lasts. */
  private readonly lateSteps = new Map<Rank, NodeJS.Timeout>();
  private readonly stepsWithoutHelpers = new Map<Rank, number>();
  /** Helper threads that stay stopped while their rank steps. */
  private readonly parked = new Set<RankThread>();
  /** Ranks of which not every thread that shall run has been started yet. */
  private readonly resuming = new Set<Rank>();
  private readonly waiters = new Map<Rank, Waiter[]>();
  private readonly withSymbols = new Set<Rank>();
  /** Held for a moment, of which nobody is told. */
  private readonly glancedAt = new Set<Rank>();
  /** What is to be done when the rank is held. */
  private readonly errands = new Map<Rank, (() => Promise<void>)[]>();
  private readonly libraryEvents: LibraryEvents;
  /** Its =thread-group-exited came without a code; the *stopped that follows tells the signal. */
  private endedBySignal: Rank | undefined;
  private releasing = false;
  private solibsLoadThemselves = false;

  constructor(
    readonly gdb: Gdb,
    private readonly breakpointOf: BreakpointLookup,
    private readonly newThreadId: () => number,
  ) {
    super();
    this.libraryEvents = new LibraryEvents(gdb);
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

  /**
   * Lets go of the ranks of this gdb that live: they run on as if there had been no gdb. All are held first: as long as one
   * runs, gdb 13 leaves breakpoints in those that it lets go, and the next one that they meet ends them. `whenHeld` is
   * called for each in between.
   */
  async detachAll(whenHeld: (rank: Rank) => void = () => undefined): Promise<void> {
    const ranks = this.ranks.filter((rank) => rank.alive);
    await Promise.all(ranks.map((rank) => this.hold(rank).catch(forgiveEnd)));
    for (const rank of ranks) whenHeld(rank);
    await Promise.all(ranks.map((rank) => targetDetach(rank).catch(forgiveEnd)));
  }

  private async hold(rank: Rank): Promise<void> {
    if (this.isHeld(rank)) return;
    await this.interrupt(rank);
    await inTime(this.held(rank), longestInterrupt);
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
    if (rank.state === 'exited' || rank.state === 'lost') return Promise.reject(new RankEndedError(rank));
    if (this.isHeld(rank)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiters.set(rank, [...(this.waiters.get(rank) ?? []), { resolve, reject }]);
    });
  }

  /** For a rank that is about to be let go: resolves when it is held the next time. */
  heldAgain(rank: Rank): Promise<void> {
    for (const thread of rank.threads) thread.state = 'running';
    return this.held(rank);
  }

  /**
   * Loads the symbols of all libraries that the rank has now; from then on gdb does it by itself. Not yet at the entry:
   * the libraries that MPI_Init opens and closes would take longer than all the rest (3.7 s instead of 2.1 s).
   */
  async loadSymbols(rank: Rank): Promise<void> {
    const [thread] = rank.threads;
    if (thread === undefined || this.withSymbols.has(rank)) return;
    const isEntry = this.causes.get(rank)?.stop.reason === 'entry';
    if (!isEntry) {
      await this.symbolsComeWithLibraries();
      await this.libraryEvents.watch(rank);
      this.withSymbols.add(rank);
    }
    await sharedLibrary(thread);
  }

  /** Libraries that the held ranks load come and go unseen, until the first stop that is shown. */
  async ignoreLibraries(): Promise<void> {
    await this.libraryEvents.ignore(this.ranks);
  }

  /** Breakpoints in libraries bind as soon as these are loaded; MPI_Init takes longer so. The ranks are held. */
  async loadSymbolsOfLibrariesAtOnce(): Promise<void> {
    for (const rank of this.ranks) if (rank.alive && this.isHeld(rank)) await this.libraryEvents.watch(rank);
    await this.symbolsComeWithLibraries();
  }

  /**
   * Loads the symbols of the libraries that running ranks have, for breakpoints that are set meanwhile: they are held for
   * a moment, of which nobody is told. Not those that step, or of which only some threads run: these would not go on so.
   */
  async glance(): Promise<void> {
    for (const rank of this.ranks) {
      if (!this.goesOnAlike(rank) || this.withSymbols.has(rank) || this.interrupting.has(rank)) continue;
      const interrupted = this.interrupt(rank);
      this.glancedAt.add(rank);
      await interrupted.catch(forgiveDeath);
    }
  }

  /** Does `work` while the rank is held, for a moment if it runs. Rejects as the work does. */
  async whileHeld<Result>(rank: Rank, work: () => Promise<Result>): Promise<Result> {
    if (rank.state !== 'running') return work();
    return new Promise<Result>((resolve, reject) => {
      const errand = (): Promise<void> => work().then(resolve, reject);
      this.errands.set(rank, [...(this.errands.get(rank) ?? []), errand]);
      if (this.interrupting.has(rank)) return;
      const isUnseen = this.goesOnAlike(rank);
      this.interrupt(rank).catch(forgiveDeath);
      if (isUnseen) this.glancedAt.add(rank);
    });
  }

  /** After a moment in which it was held: it does not step, and all its threads run. */
  private goesOnAlike(rank: Rank): boolean {
    const runs = rank.state === 'running' && rank.threads.every(({ state }) => state === 'running');
    return runs && !this.lateSteps.has(rank);
  }

  private async doErrands(rank: Rank): Promise<void> {
    const errands = this.errands.get(rank) ?? [];
    this.errands.delete(rank);
    for (const errand of errands) await errand();
  }

  private async symbolsComeWithLibraries(): Promise<void> {
    if (this.solibsLoadThemselves) return;
    this.solibsLoadThemselves = true;
    await gdbSet(this.gdb, 'auto-solib-add', 'on');
  }

  /** A held rank is shown: it is 'stopped' from now on, without an event. */
  reveal(rank: Rank, reason: StopReason): void {
    const [first] = rank.threads;
    if (first === undefined || rank.state !== 'starting') return;
    rank.state = 'stopped';
    rank.current = first;
    first.stop = { reason, breakpoints: [] };
  }

  /** Threads of which no event tells, by gdb's numbers. */
  addThreads(rank: Rank, gdbThreads: readonly number[]): void {
    for (const thread of gdbThreads) if (!this.byThread.has(thread)) this.threadCreated(thread, rank.threadGroup);
  }

  /**
   * The threads that gdb made of a core file, which never run. `order`: gdb's numbers of them, the one that called main
   * first; `current`: the one that the process ended in.
   */
  showCore(rank: Rank, order: readonly number[], current: number, stop: ThreadStop): void {
    const place = ({ gdbThread }: RankThread): number => order.indexOf(gdbThread);
    rank.threads.sort((a, b) => place(a) - place(b));
    for (const thread of rank.threads) thread.state = 'stopped';
    rank.state = 'core';
    rank.current = rank.threads.find(({ gdbThread }) => gdbThread === current) ?? rank.threads[0];
    if (rank.current !== undefined) rank.current.stop = stop;
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

  async continue(rank: Rank): Promise<void> {
    await this.resume(rank, () => run(rank.threads, () => execContinue(rank)));
  }

  /** The rank's other threads stay where they are. */
  async continueAlone(thread: RankThread): Promise<void> {
    this.park(thread, () => true);
    await this.resume(thread.rank, () => run([thread], () => execContinue(thread)));
  }

  /** The same. */
  async stepAlone(thread: RankThread, kind: StepKind): Promise<void> {
    this.park(thread, () => true);
    await this.resume(thread.rank, () => run([thread], () => execStep(thread, kind)));
  }

  /** Steps this thread; its rank's other threads run meanwhile, an MPI library's own ones if the step is no short one. */
  async step(thread: RankThread, kind: StepKind): Promise<void> {
    const { rank } = thread;
    const count = (this.stepsWithoutHelpers.get(rank) ?? 0) + 1;
    const everybody = count > mostStepsWithoutHelpers;
    this.stepsWithoutHelpers.set(rank, everybody ? 0 : count);
    this.park(thread, ({ role }) => role?.helperOf !== undefined && !everybody);
    await this.resume(rank, async () => {
      // First, so that a rank whose step is refused does not run at all.
      await run([thread], () => execStep(thread, kind));
      await this.letOthersGo(thread);
    });
    if (thread.state === 'running')
      this.lateSteps.set(
        rank,
        setTimeout(() => this.stepLasts(thread), shortStep),
      );
  }

  private stepLasts(thread: RankThread): void {
    const { rank } = thread;
    if (thread.state !== 'running' || this.interrupting.has(rank) || this.resuming.has(rank)) return;
    this.stepsWithoutHelpers.set(rank, 0);
    this.unpark(rank);
    this.resume(rank, () => this.letOthersGo(thread)).catch(forgiveDeath);
  }

  async interrupt(rank: Rank): Promise<void> {
    this.glancedAt.delete(rank);
    if (this.interrupting.has(rank) || this.isHeld(rank)) return;
    this.interrupting.add(rank);
    await execInterrupt(rank);
  }

  private async letOthersGo(stepping: RankThread): Promise<void> {
    const going = stepping.rank.threads.filter(
      (thread) => thread !== stepping && thread.state === 'stopped' && !this.parked.has(thread),
    );
    await Promise.all(going.map((thread) => run([thread], () => execContinue(thread))));
  }

  private park(moving: RankThread, accept: (other: RankThread) => boolean): void {
    for (const other of moving.rank.threads) if (other !== moving && accept(other)) this.parked.add(other);
  }

  private unpark(rank: Rank): void {
    for (const thread of rank.threads) this.parked.delete(thread);
  }

  private async resume(rank: Rank, work: () => Promise<void>): Promise<void> {
    this.resuming.add(rank);
    try {
      await work();
    } finally {
      this.resuming.delete(rank);
      if (rank.threads.some((thread) => thread.state === 'stopped' && !this.parked.has(thread))) this.stopWhole(rank);
    }
  }

  private endStep(rank: Rank): void {
    clearTimeout(this.lateSteps.get(rank));
    this.lateSteps.delete(rank);
    this.unpark(rank);
  }

  private isHeld(rank: Rank): boolean {
    return rank.threads.length > 0 && rank.threads.every((thread) => thread.state === 'stopped');
  }

  private threadCreated(gdbThread: number, group: string): void {
    const rank = this.byGroup.get(group);
    if (rank === undefined) return;
    const thread = new RankThread(this.newThreadId(), rank, gdbThread);
    rank.threads.push(thread);
    this.byThread.set(gdbThread, thread);
    if (rank.state !== 'starting') this.emit('threadStarted', thread);
    if (this.interrupting.has(rank)) execInterrupt(thread).catch(forgiveDeath);
  }

  private threadExited(gdbThread: number): void {
    const thread = this.byThread.get(gdbThread);
    if (thread === undefined) return;
    this.byThread.delete(gdbThread);
    this.parked.delete(thread);
    const { rank } = thread;
    rank.threads.splice(rank.threads.indexOf(thread), 1);
    if (rank.current === thread) rank.current = undefined;
    if (this.causes.get(rank)?.thread === thread) this.causes.delete(rank);
    if (rank.state !== 'starting') this.emit('threadEnded', thread);
    if (this.interrupting.has(rank) && this.isHeld(rank)) this.settled(rank);
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
    if (this.resuming.has(rank)) return;
    if (this.isHeld(rank)) {
      this.settled(rank);
    } else if (rank.state !== 'starting' && !this.interrupting.has(rank)) {
      this.interrupting.add(rank);
      execInterrupt(rank).catch(forgiveDeath);
    }
  }

  private settled(rank: Rank): void {
    this.interrupting.delete(rank);
    this.endStep(rank);
    const waiters = this.waiters.get(rank) ?? [];
    this.waiters.delete(rank);
    for (const waiter of waiters) waiter.resolve();
    if (rank.state === 'running' && !this.releasing) void this.tellStop(rank).catch(forgiveDeath);
  }

  private async tellStop(rank: Rank): Promise<void> {
    await this.loadSymbols(rank);
    await learnRoles(rank);
    await this.doErrands(rank);
    const isGlance = this.glancedAt.delete(rank);
    if (isGlance && !this.causes.has(rank) && rank.state === 'running' && this.isHeld(rank)) {
      await this.continue(rank);
      return;
    }
    const thread = this.causes.get(rank)?.thread ?? rank.current ?? rank.threads[0];
    if (thread === undefined || rank.state !== 'running' || !this.isHeld(rank)) return;
    const stop: ThreadStop = this.causes.get(rank)?.stop ?? { reason: 'pause', breakpoints: [] };
    rank.state = 'stopped';
    rank.current = thread;
    thread.stop = stop;
    this.emit('stopped', { rank, thread, stop });
  }

  private groupExited(group: string, exitCode: number | undefined): void {
    const rank = this.byGroup.get(group);
    if (rank === undefined) return;
    if (this.releasing) this.rejectWaiters(rank);
    else if (exitCode === undefined) this.endedBySignal = rank;
    else this.ended(rank, 'exited', { exitCode });
  }

  private closed(): void {
    for (const rank of this.byGroup.values()) {
      if (this.releasing) this.rejectWaiters(rank);
      else if (rank.alive) this.ended(rank, 'lost', {});
    }
  }

  private ended(rank: Rank, state: 'exited' | 'lost', end: RankEnd): void {
    const wasStarting = rank.state === 'starting';
    rank.state = state;
    rank.end = end;
    rank.current = undefined;
    this.interrupting.delete(rank);
    this.glancedAt.delete(rank);
    this.endStep(rank);
    for (const thread of rank.threads.splice(0)) {
      this.byThread.delete(thread.gdbThread);
      if (!wasStarting) this.emit('threadEnded', thread);
    }
    this.rejectWaiters(rank);
    void this.doErrands(rank);
    this.emit('rankEnded', rank);
  }

  private rejectWaiters(rank: Rank): void {
    for (const waiter of this.waiters.get(rank) ?? []) waiter.reject(new RankEndedError(rank));
    this.waiters.delete(rank);
  }
}

/**
 * Runs a command that lets these threads go. They count as running from before it is sent: gdb's answer comes before
 * its *running, and a *stopped may come with both.
 */
async function run(threads: readonly RankThread[], command: () => Promise<void>): Promise<void> {
  const going = threads.filter((thread) => thread.state === 'stopped');
  for (const thread of going) thread.state = 'running';
  try {
    await command();
  } catch (error) {
    for (const thread of going) thread.state = 'stopped';
    throw error;
  }
}

function forgiveEnd(error: unknown): void {
  if (!(error instanceof RankEndedError)) forgiveDeath(error);
}

/** Resolves when the promise does, or when the time is over. Rejects when it does. */
async function inTime(promise: Promise<void>, milliseconds: number): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    late = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, deadline]).finally(() => clearTimeout(late));
}

/** A command that failed because its thread or its gdb has just ended. */
function forgiveDeath(error: unknown): void {
  if (!(error instanceof GdbError)) throw error;
}
