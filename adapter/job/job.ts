/**
 * A job: all ranks of a launch, an attach or a set of cores, through however many gdbs. It knows nothing of DAP.
 *
 *   job.ranks                    ascending rank, unknown ranks last; rank.number host pid state end threads current
 *   job.threads, job.thread(id)  rank order, a rank's first thread first; thread.id rank gdbThread state stop
 *   job.select(rankSet?)         the ranks of a set; RankSetError for a rank that the job does not have
 *   job.breakpoints              replaceInFile, replaceFunctions; event 'changed'
 *   job.start({stopAtEntry})     launch only: breakpoints are set, let the ranks go
 *   job.continue(ranks) step(ranks, kind, thread?) interrupt(ranks), continueThread(thread) stepThread(thread, kind)
 *   job.release()                the end: attach leaves every process as it was, launch kills the whole launcher tree
 *   job.on('stopped', ({rank, thread, stop}) …) 'continued' 'threadStarted' 'threadEnded' 'rankEnded' 'output' 'message' 'ended'
 *
 * A rank is what the chapters of adapter/gdb/ take as GdbThreadGroup, a thread as GdbThread:
 * stackListFrames(thread), dataEvaluateExpression(thread, frame, text), varCreate(thread, frame, text), …
 */
import { EventEmitter } from 'node:events';
import type { Gdb } from '../gdb/gdb';
import { GdbError, GdbLostError } from '../gdb/mi/mi-connection';
import type { StepKind } from '../gdb/mi/program-execution';
import { Breakpoints } from './breakpoints';
import { realClock, type Clock } from './clock';
import { detachRanks } from './detach';
import { GdbRanks, type RankEvents } from './gdb-ranks';
import { ProcessWatch } from './process-watch';
import type { Rank, RankIdentity, RankThread } from './rank';
import { RankRecord } from './rank-record';
import { firstMissing, formatRankSet, rankSetHas, rankSetOf, RankSetError, type RankSet } from './rank-set';

/** Text that the job printed. rank: undefined for the launcher's own words. */
export interface JobOutput {
  rank: number | undefined;
  stream: 'stdout' | 'stderr';
  /** Whole lines, with their line ends, except when a rank printed none for a while. */
  text: string;
}

/** How the launcher ended; for an attached job the end of its last process, without a status. */
export interface JobEnd {
  exitCode?: number;
  /** "SIGKILL" */
  signal?: string;
}

export interface JobEvents extends RankEvents {
  output: [JobOutput];
  /** Something that the user should know: one sentence. */
  message: [string];
  /** Once, the last event: nothing of the job is left. */
  ended: [JobEnd];
}

export interface StartOptions {
  /** Stop every rank at main, or at the Fortran main program. */
  stopAtEntry: boolean;
}

/** A file that should be a core file of the job; `reason` is the end of a sentence about it. */
export interface UnopenedCore {
  core: string;
  reason: string;
}

/** What differs between the sources of a job. */
export interface JobSource {
  readonly kind: 'launch' | 'attach' | 'core';
  /** Lets the held ranks go. */
  start(options: StartOptions): Promise<void>;
  /**
   * Ends everything that was started, and leaves everything else as it was found. `leaveRunning`: what was launched runs
   * on too, its further output unheard. Idempotent.
   */
  release(leaveRunning?: boolean): Promise<void>;
}

/** No two threads have one id, not even in two jobs. */
let lastThreadId = 0;

export class Job extends EventEmitter<JobEvents> {
  readonly breakpoints: Breakpoints;
  /** Core files that could not be opened, and why. */
  unopened: readonly UnopenedCore[] = [];
  private readonly all: Rank[] = [];
  private readonly groups: readonly GdbRanks[];
  private readonly processes: ProcessWatch;
  private hasEnded = false;

  constructor(
    private readonly source: JobSource,
    readonly gdbs: readonly Gdb[],
    readonly clock: Clock = realClock,
  ) {
    super();
    this.breakpoints = new Breakpoints(
      gdbs,
      () => this.all,
      (rank, work) => this.group(rank).whileHeld(rank, work),
    );
    this.groups = gdbs.map((gdb) => this.watch(gdb));
    this.breakpoints.on('unplaced', () => {
      for (const group of this.groups) void group.glance();
    });
    this.processes = new ProcessWatch(
      () => this.all,
      (rank, end) => this.group(rank).gone(rank, end),
      clock,
    );
  }

  get kind(): JobSource['kind'] {
    return this.source.kind;
  }

  get ranks(): readonly Rank[] {
    return this.all;
  }

  get threads(): readonly RankThread[] {
    return this.all.flatMap((rank) => rank.threads);
  }

  thread(id: number): RankThread | undefined {
    return this.threads.find((thread) => thread.id === id);
  }

  /** For a job's source: before the process is attached to. */
  addRank(identity: RankIdentity, gdb: Gdb, threadGroup: string): Rank {
    const rank = new RankRecord(identity, gdb, threadGroup);
    this.group(rank).add(rank);
    this.all.push(rank);
    this.all.sort((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity) || (a.pid ?? 0) - (b.pid ?? 0));
    return rank;
  }

  /** For a job's source: it could not be opened, and is none. */
  removeRank(rank: Rank): void {
    this.group(rank).remove(rank);
    this.all.splice(this.all.indexOf(rank), 1);
  }

  /** All ranks, or those of the set. Throws RankSetError when the job has no such rank. */
  select(set?: RankSet): readonly Rank[] {
    if (set === undefined) return this.all;
    const present = rankSetOf(this.all.flatMap((rank) => (rank.number === null ? [] : [rank.number])));
    const missing = firstMissing(set, present);
    if (missing !== undefined) {
      const has = present.length === 0 ? 'no rank whose number is known' : `ranks ${formatRankSet(present)}`;
      throw new RankSetError(`rank ${missing} is not in this job, which has ${has}`);
    }
    return this.all.filter((rank) => rank.number !== null && rankSetHas(set, rank.number));
  }

  start(options: StartOptions): Promise<void> {
    return this.source.start(options);
  }

  /** Continues those of the ranks that are stopped. */
  async continue(ranks: readonly Rank[]): Promise<void> {
    await this.seeLibraries();
    await this.inEach(ranks, 'stopped', (rank) => this.group(rank).continue(rank));
  }

  /** Steps those of the ranks that are stopped: `thread` in its own rank, in the others the thread that stopped last. */
  async step(ranks: readonly Rank[], kind: StepKind, thread?: RankThread): Promise<void> {
    await this.seeLibraries();
    await this.inEach(ranks, 'stopped', async (rank) => {
      const stepping = thread?.rank === rank ? thread : (rank.current ?? rank.threads[0]);
      if (stepping !== undefined) await this.group(rank).step(stepping, kind);
    });
  }

  /** Continues this thread alone: the other threads of its rank stay where they are. */
  async continueThread(thread: RankThread): Promise<void> {
    await this.seeLibraries();
    await this.inEach([thread.rank], 'stopped', (rank) => this.group(rank).continueAlone(thread));
  }

  /** The same for a step. */
  async stepThread(thread: RankThread, kind: StepKind): Promise<void> {
    await this.seeLibraries();
    await this.inEach([thread.rank], 'stopped', (rank) => this.group(rank).stepAlone(thread, kind));
  }

  /** Stops those of the ranks that run; their 'stopped' events follow. */
  async interrupt(ranks: readonly Rank[]): Promise<void> {
    await this.inEach(ranks, 'running', (rank) => this.group(rank).interrupt(rank));
  }

  /** Ends the session: see JobSource.release. The 'ended' event comes before this resolves. */
  async release(leaveRunning = false): Promise<void> {
    for (const group of this.groups) group.release();
    await this.source.release(leaveRunning);
    this.ended({});
  }

  /** To be called behind a command of gdb's own language in this rank: it may have taken processes from gdb. */
  commandRan(rank: Rank): void {
    this.group(rank).commandRan();
  }

  /** For a job's source: every process that is alive runs on without its gdb. `whenHeld`: see detachRanks. */
  async detachAll(whenHeld?: (rank: Rank) => void): Promise<void> {
    for (const group of this.groups) group.release();
    await Promise.all(this.groups.map((group) => detachRanks(group, whenHeld)));
  }

  /** Libraries may bring the code that breakpoints wait for. */
  private async seeLibraries(): Promise<void> {
    if (!this.breakpoints.anyPending) return;
    await Promise.all(this.groups.map((group) => group.loadSymbolsOfLibrariesAtOnce()));
  }

  /** For a job's source. */
  group(of: Rank): GdbRanks {
    const found = this.groups.find((group) => group.gdb === of.gdb);
    if (found === undefined) throw new Error(`${of.label} is in no gdb of this job`);
    return found;
  }

  /** For a job's source: everything has ended. */
  ended(end: JobEnd): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.processes.stop();
    this.emit('ended', end);
  }

  private watch(gdb: Gdb): GdbRanks {
    const group = new GdbRanks(
      gdb,
      (number) => this.breakpoints.byNumber(gdb, number),
      () => ++lastThreadId,
      this.clock,
    );
    gdb.on('closed', (why) => this.gdbClosed(group, why));
    group.on('stopped', (stop) => this.emit('stopped', stop));
    group.on('continued', (rank) => this.emit('continued', rank));
    group.on('threadStarted', (thread) => this.emit('threadStarted', thread));
    group.on('threadEnded', (thread) => this.emit('threadEnded', thread));
    group.on('rankEnded', (rank) => this.emit('rankEnded', rank));
    group.on('failed', (rank, why) => this.emit('message', `${rank.label}: ${why}`));
    return group;
  }

  /** Its ranks have been told as lost already, when that was not intended. */
  private gdbClosed(group: GdbRanks, why: string): void {
    const lost = group.ranks.filter(({ state }) => state === 'lost');
    if (lost.length === 0) return;
    const names = formatRankSet(rankSetOf(lost.flatMap(({ number }) => (number === null ? [] : [number]))));
    const which = names === '' ? lost.map(({ label }) => label).join(', ') : `rank ${names}`;
    this.emit('message', `the gdb of ${which} is gone (${why}): mpidbg cannot tell any more what they do`);
  }

  /**
   * Acts on all ranks at once. One rank's failure never fails the others: it is told as a message. Rejects with GdbError
   * when gdb refused it for every one of them.
   */
  private async inEach(
    ranks: readonly Rank[],
    state: Rank['state'],
    act: (rank: Rank) => Promise<void>,
  ): Promise<void> {
    const chosen = ranks.filter((rank) => rank.state === state);
    const failures: { rank: Rank; error: unknown }[] = [];
    await Promise.all(chosen.map((rank) => act(rank).catch((error: unknown) => failures.push({ rank, error }))));
    const refusals = failures.filter(({ error }) => error instanceof GdbError && !(error instanceof GdbLostError));
    if (chosen.length > 0 && refusals.length === chosen.length) throw refusals[0]?.error;
    for (const { rank, error } of failures) {
      // A gdb that is gone tells its ranks' end itself.
      if (error instanceof GdbLostError) continue;
      this.emit('message', `${rank.label}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
