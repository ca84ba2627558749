/**
 * Moves the ranks of one gdb: they continue or step, with all their threads or with one alone.
 *
 * Threads that must stay stopped while their rank runs are parked: they do not make it stop.
 */
import { GdbError } from '../gdb/mi/mi-connection';
import { execContinue, execFinish, execStep, type StepKind } from '../gdb/mi/program-execution';
import { enableSkips, expectCallbacks, forgetCallbacks } from '../gdb/skipped-code';
import { innermostFrames } from '../stacks/gdb-stack';
import type { CallOff, Clock } from './clock';
import type { Rank, RankThread } from './rank';
import { ignoreIfGone } from './rank-ended';
import { ownThread } from './rank-record';
import type { RankInterrupts } from './rank-interrupts';

/**
 * The longest that a step runs, in milliseconds, with the helper threads of the MPI library stopped. Running and
 * stopping them takes longer than most steps, but a step over a call that waits for one of them needs them. It is longer where
 * a gdb that is far away or busy takes longer for a command: they would cost two more.
 */
const shortStep = 50;
/** Stepping through a loop around MPI_Test needs them now and then, too. */
const maxStepsWithoutHelpers = 8;

export class RankMoves {
  /** Milliseconds since the step began, after which helper threads run. */
  private readonly lateSteps = new Map<Rank, CallOff>();
  private readonly stepsWithoutHelpers = new Map<Rank, number>();
  private readonly stepping = new Map<Rank, StepKind>();
  /** Threads that stay stopped while their rank runs. */
  private readonly parked = new Set<RankThread>();
  /** Ranks whose threads have not all been started yet. */
  private readonly resuming = new Set<Rank>();

  constructor(
    private readonly interrupts: RankInterrupts,
    /** A thread of the rank stopped while the others were being started: the rank stops. */
    private readonly stopWhole: (rank: Rank) => void,
    private readonly clock: Clock,
  ) {}

  isResuming(rank: Rank): boolean {
    return this.resuming.has(rank);
  }

  /** It steps, or only some of its threads run: once held, it could not go on as before. */
  isPartial(rank: Rank): boolean {
    return this.stepping.has(rank) || rank.threads.some((thread) => this.parked.has(thread));
  }

  async continue(rank: Rank): Promise<void> {
    await this.resume(rank, () => run(rank.threads, () => execContinue(rank)));
  }

  /** Continues this thread; its rank's other threads stay where they are. */
  async continueAlone(thread: RankThread): Promise<void> {
    this.park(thread, () => true);
    await this.resume(thread.rank, () => run([thread], () => execContinue(thread)));
  }

  /** Steps this thread; its rank's other threads stay where they are. */
  async stepAlone(thread: RankThread, kind: StepKind): Promise<void> {
    this.park(thread, () => true);
    await this.resume(thread.rank, () => this.letStep(thread, kind));
  }

  /** Steps this thread; its rank's other threads run meanwhile, an MPI library's own ones if the step is no short one. */
  async step(thread: RankThread, kind: StepKind): Promise<void> {
    const { rank } = thread;
    const count = (this.stepsWithoutHelpers.get(rank) ?? 0) + 1;
    const everybody = count > maxStepsWithoutHelpers;
    this.stepsWithoutHelpers.set(rank, everybody ? 0 : count);
    this.park(thread, ({ role }) => role?.helperOf !== undefined && !everybody);
    const began = this.clock.now();
    await this.resume(rank, async () => {
      // First, so that a rank whose step is refused does not run at all.
      await this.letStep(thread, kind);
      await this.letOthersGo(thread);
    });
    if (thread.state === 'running')
      this.lateSteps.set(
        rank,
        this.clock.after(Math.max(shortStep, this.clock.now() - began), () => this.stepLasts(thread)),
      );
  }

  /** The rank has stopped as a whole, or ended. */
  end(rank: Rank): void {
    this.lateSteps.get(rank)?.();
    this.lateSteps.delete(rank);
    const kind = this.stepping.get(rank);
    this.stepping.delete(rank);
    this.unpark(rank);
    if (kind === 'in') forgetCallbacks(rank).catch(ignoreIfGone);
    if (kind === 'inAnyway' && !this.isSteppingAnyway(rank)) enableSkips(rank.gdb, true).catch(ignoreIfGone);
  }

  threadEnded(thread: RankThread): void {
    this.parked.delete(thread);
  }

  private stepLasts(thread: RankThread): void {
    const { rank } = thread;
    if (thread.state !== 'running' || this.interrupts.has(rank) || this.resuming.has(rank)) return;
    this.stepsWithoutHelpers.set(rank, 0);
    this.unpark(rank);
    this.resume(rank, () => this.letOthersGo(thread)).catch(ignoreIfGone);
  }

  private async letStep(thread: RankThread, kind: StepKind): Promise<void> {
    // First, so that the end of another rank's step does not switch skips on again, and so that its own end, which may come
    // before the answer, finds it.
    this.stepping.set(thread.rank, kind);
    if (kind === 'in') await expectCallbacks(thread);
    if (kind === 'inAnyway') await enableSkips(thread.gdb, false);
    await run([thread], () => stepOrReturn(thread, kind));
  }

  /** Some other rank of the gdb. */
  private isSteppingAnyway({ gdb }: Rank): boolean {
    return [...this.stepping].some(([rank, kind]) => rank.gdb === gdb && kind === 'inAnyway');
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
}

/** From code without a known function, as in a stripped MPI library, out to the innermost caller with lines. */
async function stepOrReturn(thread: RankThread, kind: StepKind): Promise<void> {
  try {
    await execStep(thread, kind);
  } catch (error) {
    if (!(error instanceof GdbError && error.failure.reason === 'noFunction')) throw error;
    const frames = await innermostFrames(thread);
    const caller = frames.findIndex(({ line }) => line !== undefined);
    await execFinish(thread, Math.max(0, caller - 1));
  }
}

/**
 * Runs a command that makes these threads run. They count as running before it is sent: gdb answers before its
 * *running, and a *stopped may arrive with both.
 */
async function run(threads: readonly RankThread[], command: () => Promise<void>): Promise<void> {
  const going = threads.filter((thread) => thread.state === 'stopped').map(ownThread);
  for (const thread of going) thread.state = 'running';
  try {
    await command();
  } catch (error) {
    for (const thread of going) thread.state = 'stopped';
    throw error;
  }
}
