/** Our agents on the other hosts of a job that runs already: something that reaches those hosts carries one to each. */
import { complaintIn } from '../../plugin-api/complaint';
import { AgentError } from '../agent/agent-script';
import type { Hub, Peer } from '../agent/hub';
import { superviseLauncher, type SupervisedLauncher } from '../agent/supervised-launcher';
import { withinTime } from '../hosts/time-limit';
import { StartError, untilAborted } from '../job/start-error';

export interface FinderStart {
  /** What runs the words behind it once on each host. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** As the user knows them. */
  readonly hosts: readonly string[];
}

export class Finders {
  private said = '';
  private readonly launcher: SupervisedLauncher;
  private readonly arrivals: Promise<Peer[]>;

  constructor(
    hub: Hub,
    private readonly start: FinderStart,
  ) {
    const { command, cwd, env, hosts } = start;
    this.arrivals = arrivalsOf(hub, hosts.length);
    this.launcher = superviseLauncher(hub, {
      ...{ command: [...command, ...hub.agentCommand(env), 'find'], cwd, env, stdin: undefined },
      onOutput: (text) => (this.said = (this.said + text).slice(-4000)),
    });
  }

  /** Never rejects. */
  get ended(): Promise<unknown> {
    return this.launcher.ended;
  }

  /** One of each host. Rejects with StartError. */
  async arrived(signal: AbortSignal | undefined): Promise<Peer[]> {
    const { hosts } = this.start;
    const late = (): Error =>
      new StartError(`the other hosts of the job (${hosts.join(', ')}) do not answer within ${maxFinding / 1000} s`);
    const limit = { milliseconds: maxFinding, late, failed: this.failure() };
    try {
      return await untilAborted(
        signal,
        withinTime(limit, () => this.arrivals),
      );
    } catch (error) {
      if (error instanceof AgentError) throw new StartError(error.message);
      throw error;
    }
  }

  private async failure(): Promise<never> {
    const { notStarted } = await this.launcher.ended;
    const own = /mpidbg: (the debugger cannot be reached from .*)/.exec(this.said)?.[1];
    const why = own ?? notStarted ?? complaintIn(this.said) ?? 'the launcher ended';
    throw new StartError(`the other hosts of the job cannot be reached: ${why}`);
  }
}

/** Milliseconds: the job has been let onto these hosts before, so nothing is queued. */
const maxFinding = 60_000;

function arrivalsOf(hub: Hub, count: number): Promise<Peer[]> {
  const arrived: Peer[] = [];
  return new Promise((resolve) => {
    hub.on('peer', (peer) => {
      if (peer.hello.kind !== 'finder') return;
      arrived.push(peer);
      if (arrived.length === count) resolve(arrived);
    });
  });
}
