/** continue, next, stepIn, stepOut, pause: on every rank of the focus that can, or on one rank alone. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { StepKind } from '../gdb/program-execution';
import type { Job } from '../job/job';
import type { Rank, RankThread } from '../job/rank';
import type { Focus } from './focus';
import type { StopEvents } from './stop-events';

/** What the requests have in common. */
interface Target {
  threadId: number;
  /** Only this thread's rank. */
  singleThread?: boolean;
}

export class Execution {
  constructor(
    private readonly job: Job,
    private readonly focus: Focus,
    private readonly events: StopEvents,
  ) {}

  /** Lets the ranks of a new job go; of one that was attached to, their stops are told. */
  async start(stopAtEntry: boolean): Promise<void> {
    const { ranks } = this.job;
    await this.events.during({ ranks, thread: undefined, impliesAll: true }, () => this.job.start({ stopAtEntry }));
  }

  async continue(target: Target): Promise<DebugProtocol.ContinueResponse['body']> {
    const { ranks, thread } = this.choose(target);
    const allThreadsContinued = this.job.ranks.every(
      (rank) => ranks.includes(rank) || rank.state === 'running' || !rank.alive,
    );
    await this.events.during({ ranks, thread, impliesAll: allThreadsContinued }, () => this.job.continue(ranks));
    return { allThreadsContinued };
  }

  async step(target: Target, kind: StepKind): Promise<void> {
    const { ranks, thread } = this.choose(target);
    await this.events.during({ ranks, thread, impliesAll: false, pace: 'step' }, () =>
      this.job.step(ranks, kind, thread),
    );
  }

  async pause(target: Target): Promise<void> {
    const ranks = target.singleThread === true ? [this.focus.thread(target.threadId).rank] : this.focus.ranks;
    const running = ranks.filter((rank) => rank.state === 'running');
    const thread = this.job.thread(target.threadId);
    await this.events.during({ ranks: running, thread, impliesAll: false }, () => this.job.interrupt(running));
  }

  /** The ranks that can run now, and the thread that the user acts on. */
  private choose(target: Target): { ranks: readonly Rank[]; thread: RankThread } {
    const thread =
      target.singleThread === true ? this.focus.stoppedThread(target.threadId) : this.focus.thread(target.threadId);
    const ranks = target.singleThread === true ? [thread.rank] : this.focus.ranks;
    return { ranks: ranks.filter((rank) => rank.state === 'stopped'), thread };
  }
}
