/**
 * Reports to the client which ranks stopped and which run again. Ranks stop one by one, within milliseconds of each
 * other: the client gets one `stopped` for the whole burst.
 */
import type { CallOff } from '../../job/clock';
import type { Job } from '../../job/job';
import type { RankStop } from '../../job/rank-stops';
import type { Rank, RankThread, ThreadStop } from '../../job/rank';
import { isFault } from '../../../plugin-api/answers/signal-words';
import type { Client } from '../client/connection';
import type { Focus } from './focus';
import { badgeOf, dapReason, describeSignal, describeStops, stopOf, unasked } from './stop-words';

/**
 * Milliseconds without a further stop after which a burst counts as over, while ranks of it still run: ranks that step
 * come together, those that run up to a breakpoint less so.
 */
const quietTimes = { step: 100, run: 300 };
/** The maximum time that a first stop waits for others. */
const maxBurst = 1000;

interface Resumption {
  /** The ranks that are started. */
  ranks: readonly Rank[];
  /** The thread that the user acts on and wants to see next; the answer tells the client that it runs. */
  thread: RankThread | undefined;
  /** The answer says that all threads run. */
  impliesAll: boolean;
  pace?: keyof typeof quietTimes;
  /** Even that `thread` runs must be reported by an event. */
  untold?: true;
}

export class StopEvents {
  private burst: RankStop[] = [];
  /** The ranks that the last command started and that have not stopped yet. */
  private readonly awaited = new Set<Rank>();
  /** All that it started; empty once a stop since then was shown. */
  private commanded: ReadonlySet<Rank> = new Set();
  /** Ranks that run without the client knowing. */
  private readonly running = new Set<Rank>();
  /** The client knows from the answer to its request that these run. */
  private readonly implied = new Set<RankThread>();
  private quiet: CallOff = () => undefined;
  private firstStop = 0;
  private holds = 0;
  private acted: RankThread | undefined;
  private quietTime = quietTimes.run;
  /** The thread that the client was last told to show. */
  private shown: RankThread | undefined;

  constructor(
    private readonly job: Job,
    private readonly client: Client,
    private readonly focus: Pick<Focus, 'ranks'>,
    /** What is told of a stop, where that must be looked up; the stop is reported then. Never rejects. */
    private readonly words: (stop: RankStop) => Promise<string> | undefined,
  ) {
    job.on('stopped', (stop) => this.stopped(stop));
    job.on('continued', (rank) => this.continued(rank));
    job.on('rankEnded', (rank) => this.rankEnded(rank));
    job.on('ended', () => this.quiet());
  }

  /**
   * Runs a command that starts ranks. The client must see its answer before the resulting stops, so events are held
   * back until the answer is sent.
   */
  async during(
    { ranks, thread, impliesAll, pace = 'run', untold }: Resumption,
    command: () => Promise<void>,
  ): Promise<void> {
    this.holds += 1;
    this.acted = thread;
    this.quietTime = quietTimes[pace];
    this.awaited.clear();
    for (const rank of ranks) this.awaited.add(rank);
    this.commanded = new Set(ranks);
    const implied = impliesAll
      ? ranks.flatMap(({ threads }) => threads)
      : thread === undefined || untold
        ? []
        : [thread];
    for (const known of implied) this.implied.add(known);
    try {
      await command();
    } catch (error) {
      // The answer says so: the client assumes that nothing runs.
      for (const known of implied) this.implied.delete(known);
      throw error;
    } finally {
      setImmediate(() => {
        this.holds -= 1;
        this.flushContinued();
        this.flushIfOver();
      });
    }
  }

  /** Stops of which the client is told in a moment. */
  get areGathering(): boolean {
    return this.burst.length > 0;
  }

  /** For a client that has come to a job under way: the ranks that are stopped. */
  tellAgain(): void {
    this.burst = this.job.ranks.flatMap((rank): RankStop[] => {
      const thread = rank.current ?? rank.threads[0];
      if (rank.state !== 'stopped' || thread === undefined) return [];
      return [{ rank, thread, stop: thread.stop ?? unasked }];
    });
    this.acted = this.shown;
    this.shown = undefined;
    this.flush();
  }

  /** Has the client show this stopped thread, as if it had just stopped. */
  select(thread: RankThread): void {
    this.client.send('stopped', stopOf(thread));
    this.shown = thread;
  }

  private stopped(stop: RankStop): void {
    if (this.burst.length === 0) this.firstStop = this.job.clock.now();
    this.burst.push(stop);
    this.awaited.delete(stop.rank);
    for (const thread of stop.rank.threads) this.implied.delete(thread);
    const words = this.words(stop);
    if (words === undefined) this.flushIfOver();
    else void this.flushWith(stop, words);
  }

  private async flushWith({ stop }: RankStop, words: Promise<string>): Promise<void> {
    this.holds += 1;
    stop.words = await words;
    this.holds -= 1;
    this.flushIfOver();
  }

  private continued(rank: Rank): void {
    // It stopped and ran again before the stop was reported.
    this.burst = this.burst.filter((stop) => stop.rank !== rank);
    if (this.running.size === 0) setImmediate(() => this.flushContinued());
    this.running.add(rank);
  }

  private rankEnded(rank: Rank): void {
    this.awaited.delete(rank);
    this.running.delete(rank);
    if (this.shown?.rank === rank) this.shown = undefined;
    this.burst = this.burst.filter((stop) => stop.rank !== rank);
    this.flushIfOver();
  }

  private flushIfOver(): void {
    if (this.burst.length === 0 || this.holds > 0) return;
    this.quiet();
    if (this.awaited.size === 0 || !this.job.ranks.some(isRunning)) this.flush();
    else this.flushAfter(Math.max(0, Math.min(this.quietTime, this.rest)));
  }

  private afterQuietTime(): void {
    const stopping = [...this.awaited].filter(({ state }) => state === 'running');
    // A held rank is reported as soon as its symbols are loaded; a partly stopped one may stay so.
    if (stopping.some(({ isHeld }) => isHeld)) this.flushAfter(this.quietTime);
    else if (this.rest > 0 && stopping.some(standsInPart)) this.flushAfter(Math.min(this.quietTime, this.rest));
    else this.flush();
  }

  /** Milliseconds that the first stop still waits for others. */
  private get rest(): number {
    return this.firstStop + maxBurst - this.job.clock.now();
  }

  private flushAfter(milliseconds: number): void {
    this.quiet = this.job.clock.after(milliseconds, () => this.afterQuietTime());
  }

  private flush(): void {
    if (this.burst.length === 0 || this.holds > 0) return;
    this.flushContinued();
    const stops = this.burst.sort((a, b) => (a.rank.number ?? Infinity) - (b.rank.number ?? Infinity));
    this.burst = [];
    const inFocus = stops.filter(({ rank }) => this.isInFocus(rank));
    const shown = crashOf(stops) ?? mostInteresting(inFocus.length === 0 ? stops : inFocus, this.acted);
    const allThreadsStopped = !this.job.ranks.some(isRunning);
    this.tell(shown, {
      description: describeStops([shown, ...stops.filter((stop) => stop !== shown)]),
      allThreadsStopped,
      quietly: false,
    });
    // A client assumes that the other ranks run until each is reported.
    if (!allThreadsStopped) {
      for (const stop of stops) {
        if (stop !== shown) {
          this.tell(stop, { description: describeStops([stop]), allThreadsStopped: false, quietly: true });
        }
      }
      this.tellUnmoved();
    }
    this.shown = shown.thread;
    this.commanded = new Set();
  }

  /**
   * Whether a stop of this rank may take the user away from what is shown: ranks that stop on their own do not, but the
   * first ones of those that the user has moved, and those in focus when what is shown is not.
   */
  private takesOver(rank: Rank): boolean {
    if (this.shown?.state !== 'stopped') return true;
    return this.isInFocus(rank) && (this.commanded.has(rank) || !this.isInFocus(this.shown.rank));
  }

  private isInFocus(rank: Rank): boolean {
    return this.focus.ranks.includes(rank);
  }

  /** A command on a thread outside the focus moved other ranks, but the client assumes that this thread runs. */
  private tellUnmoved(): void {
    const { acted } = this;
    // It may have ended meanwhile.
    if (acted?.rank.state !== 'stopped' || !this.implied.delete(acted) || !acted.rank.threads.includes(acted)) return;
    const description = `${acted.rank.label}: not moved`;
    this.client.send('stopped', {
      reason: 'pause',
      description,
      badge: 'not moved',
      threadId: acted.id,
      preserveFocusHint: true,
    });
  }

  private tell(told: RankStop, how: { description: string; allThreadsStopped: boolean; quietly: boolean }): void {
    const { thread, stop } = told;
    const isUnasked = thread.rank !== this.acted?.rank && !isException(stop) && !this.takesOver(thread.rank);
    this.client.send('stopped', {
      reason: dapReason(stop),
      description: how.description,
      badge: badgeOf(stop),
      threadId: thread.id,
      ...(how.quietly || isUnasked ? { preserveFocusHint: true } : {}),
      ...(how.allThreadsStopped ? { allThreadsStopped: true } : {}),
      ...textOf(told),
      ...(stop.breakpoints.length === 0 ? {} : { hitBreakpointIds: stop.breakpoints.map(({ id }) => id) }),
    });
  }

  private flushContinued(): void {
    if (this.running.size === 0 || this.holds > 0) return;
    const ranks = [...this.running];
    this.running.clear();
    const untold = ranks.flatMap((rank) => rank.threads).filter((thread) => !this.implied.has(thread));
    const first = untold[0]?.rank.threads[0];
    if (first === undefined) return;
    if (this.job.ranks.every((rank) => ranks.includes(rank) || isRunning(rank) || !rank.alive)) {
      this.client.send('continued', { threadId: first.id, allThreadsContinued: true });
      return;
    }
    for (const thread of untold) this.client.send('continued', { threadId: thread.id, allThreadsContinued: false });
  }
}

/** What a client shows beside the reason. */
function textOf({ rank, stop: { words, signal, unevaluated } }: RankStop): { text?: string } {
  if (words !== undefined) return { text: `${words}, ${rank.label}` };
  if (signal !== undefined) return { text: describeSignal(signal) };
  return unevaluated === undefined ? {} : { text: `the condition cannot be evaluated: ${unevaluated}` };
}

/** It may be why other ranks ended. */
function crashOf(stops: readonly RankStop[]): RankStop | undefined {
  return stops.find(({ stop }) => stop.death !== undefined || isFault(stop.signal?.name ?? ''));
}

/** A signal first; then the thread that the user acts on; then threads with their own reason. */
function mostInteresting(stops: readonly RankStop[], acted: RankThread | undefined): RankStop {
  const by = (accept: (stop: RankStop) => boolean): RankStop | undefined => stops.find(accept);
  return (
    by(({ stop }) => isException(stop)) ??
    by(({ thread }) => thread === acted) ??
    by(({ rank }) => rank === acted?.rank) ??
    by(({ stop }) => stop.reason === 'breakpoint') ??
    stops[0]!
  );
}

function isException({ reason }: ThreadStop): boolean {
  return reason === 'signal' || reason === 'death';
}

function standsInPart({ threads }: Rank): boolean {
  return threads.some(({ state }) => state === 'stopped');
}

function isRunning(rank: Rank): boolean {
  return rank.state === 'running' || rank.state === 'starting';
}
