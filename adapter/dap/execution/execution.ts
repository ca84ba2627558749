/** continue, next, stepIn, stepOut, pause: on every rank of the scope that can. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { StepKind } from '../../gdb/mi/program-execution';
import type { Job } from '../../job/job';
import type { Rank, RankThread } from '../../job/rank';
import { wrongArguments } from '../client/errors';
import type { Scope } from '../../../plugin-api/answers/focus-body';
import type { Focus } from '../ranks/focus';
import type { StepWaits } from './step-waits';
import type { StopEvents } from '../ranks/stop-events';
import type { ContinueArguments, PauseArguments } from '../requests/dap-arguments';

/** What a command acts on. */
interface Chosen {
  /** The ranks that can run. */
  ranks: readonly Rank[];
  /** The one that the user acts on. */
  thread: RankThread;
  /** The other threads of its rank stay where they are. */
  alone: boolean;
}

export class Execution {
  constructor(
    private readonly job: Job,
    private readonly focus: Focus,
    private readonly events: StopEvents,
    private readonly stepWaits: StepWaits,
  ) {}

  /** Starts the ranks of a new job; for one that was attached to, reports their stops. */
  async start(stopAtEntry: boolean): Promise<void> {
    const { ranks } = this.job;
    await this.events.during({ ranks, thread: undefined, impliesAll: true }, () => this.job.start({ stopAtEntry }));
  }

  /** For a client that has come to a job under way: reports the stops of its ranks. */
  tellAgain(): void {
    // After the answer.
    setImmediate(() => this.events.tellAgain());
  }

  async continue(target: ContinueArguments): Promise<DebugProtocol.ContinueResponse['body']> {
    const { ranks, thread, alone } = this.choose(target);
    this.stepWaits.forget();
    const allThreadsContinued =
      !alone && this.job.ranks.every((rank) => ranks.includes(rank) || rank.state === 'running' || !rank.alive);
    const impliesAll = allThreadsContinued && untold(target).untold === undefined;
    await this.events.during({ ranks, thread, impliesAll, ...untold(target) }, () =>
      alone ? this.job.continueThread(thread) : this.job.continue(ranks),
    );
    return { allThreadsContinued };
  }

  async step(target: ContinueArguments, kind: StepKind): Promise<void> {
    const { ranks, thread, alone } = this.choose(target);
    const place = await this.stepWaits.place(ranks, thread);
    await this.events.during({ ranks, thread, impliesAll: false, pace: 'step', ...untold(target) }, () =>
      alone ? this.job.stepThread(thread, kind) : this.job.step(ranks, kind, thread),
    );
    this.stepWaits.watch(ranks, place);
  }

  async pause(target: PauseArguments): Promise<void> {
    this.stepWaits.forget();
    const scope = this.scopeOf(target);
    const { threadId } = target;
    const isOneRank = target.ranks === undefined && (scope === 'thread' || scope === 'rank');
    if (isOneRank && threadId === undefined) throw wrongArguments('pause', `"threadId" must name the ${scope}`);
    const acted = threadId === undefined ? undefined : this.job.thread(threadId);
    const thread = isOneRank && threadId !== undefined ? this.focus.thread(threadId) : acted;
    const scoped = thread === undefined ? this.focus.ranks : this.focus.ranksFor(scope, thread);
    const chosen = this.focus.named(target.ranks) ?? scoped;
    const running = chosen.filter((rank) => rank.state === 'running');
    await this.events.during({ ranks: running, thread: acted, impliesAll: false }, () => this.job.interrupt(running));
  }

  private choose(target: ContinueArguments): Chosen {
    const scope = this.scopeOf(target);
    const named = this.focus.named(target.ranks)?.filter((rank) => rank.state === 'stopped');
    if (named !== undefined) return { ranks: named, thread: this.focus.thread(target.threadId), alone: false };
    const isOneRank = scope === 'thread' || scope === 'rank';
    const thread = isOneRank ? this.focus.stoppedThread(target.threadId) : this.focus.thread(target.threadId);
    const ranks = this.focus.ranksFor(scope, thread).filter((rank) => rank.state === 'stopped');
    return { ranks, thread, alone: scope === 'thread' };
  }

  private scopeOf({ scope = this.focus.scope, singleThread }: PauseArguments): Scope {
    return singleThread === true && scope !== 'thread' ? 'rank' : scope;
  }
}

/** A client that sends a custom request does not infer from the answer that the thread runs. */
function untold({ scope, ranks }: PauseArguments): { untold?: true } {
  return scope === undefined && ranks === undefined ? {} : { untold: true };
}
