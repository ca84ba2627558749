/** Attaches to running processes of this host: a Job whose release leaves each of them exactly as it was. */
import { hostname } from 'node:os';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { AgentError } from '../agent/agent-script';
import { Hub } from '../agent/hub';
import { GdbError } from '../gdb/mi/mi-connection';
import { targetAttach } from '../gdb/mi/target-manipulation';
import { forgiveDeath, RankEndedError } from '../job/rank-ended';
import { reveal } from '../job/shown-ranks';
import { learnRoles } from '../job/thread-role';
import { Job, type JobSource } from '../job/job';
import type { Rank } from '../job/rank';
import { GdbPool, type Slot } from './gdb-pool';
import { processEnvironment, processInfo } from '../hosts/process-info';
import { rankOf } from '../launchers/rank-of-environment';
import { refusalAfter, refusalBefore } from '../hosts/ptrace-refusal';
import { StartError, untilAborted } from '../job/start-error';

export interface AttachOptions {
  pids: readonly number[];
  /** Default: the shipped ones. */
  plugins?: PluginRegistry;
  /** Path of gdb; default: "gdb" in PATH. */
  gdb?: string;
  /** Aborted: everything is left as it was, and the promise rejects with StartError (the reason, if it is one). */
  signal?: AbortSignal;
  /** So many of all processes are held, with their symbols. */
  onHeld?: (held: number, all: number) => void;
  /** Called when everything is ready, right before the first process is stopped. */
  beforeHold?: () => void;
}

/**
 * Resolves when every process is stopped ('stopped', reason 'attach') with symbols loaded; job.start tells these stops
 * as events. Rejects with StartError, UnusableGdbError.
 */
export async function attach({
  pids,
  plugins = new PluginRegistry(),
  gdb = 'gdb',
  signal,
  beforeHold,
  onHeld,
}: AttachOptions): Promise<Job> {
  const refusals = await Promise.all(pids.map(refusalBefore));
  const refusal = refusals.find((one) => one !== undefined);
  if (refusal !== undefined) throw new StartError(refusal);

  const hub = await Hub.listen(plugins.known);
  let source: AttachedProcesses | undefined;
  try {
    const starting = GdbPool.start(hub, gdb, pids.length);
    // Given up while they start: those that do start afterwards lose their connection, and end.
    const pool = await untilAborted(signal, starting);
    source = new AttachedProcesses(hub, pool, plugins);
    await untilAborted(signal, source.attachAll(pids, { beforeHold, onHeld }));
    return source.job;
  } catch (error) {
    await source?.release();
    hub.close();
    if (error instanceof AgentError) throw new StartError(error.message);
    throw error;
  }
}

class AttachedProcesses implements JobSource {
  readonly kind = 'attach';
  readonly job: Job;
  private readonly stoppedBefore = new Set<Rank>();
  private released: Promise<void> | undefined;

  constructor(
    private readonly hub: Hub,
    private readonly pool: GdbPool,
    readonly plugins: PluginRegistry,
  ) {
    this.job = new Job(
      this,
      pool.members.map(({ gdb }) => gdb),
    );
    this.job.on('rankEnded', () => {
      if (!this.job.ranks.some((rank) => rank.alive)) this.job.ended({});
    });
  }

  async attachAll(
    pids: readonly number[],
    { beforeHold, onHeld }: { [Name in 'beforeHold' | 'onHeld']: AttachOptions[Name] | undefined },
  ): Promise<void> {
    const slots = await this.pool.slots(pids.length);
    beforeHold?.();
    let held = 0;
    await Promise.all(
      slots.map(async (slot, index) => {
        await this.attachOne(slot, pids[index] ?? 0);
        onHeld?.(++held, pids.length);
      }),
    );
    for (const rank of this.job.ranks) reveal(rank, 'attach');
  }

  async start(): Promise<void> {
    await Promise.all(this.job.ranks.map((rank) => learnRoles(rank, this.plugins.known).catch(forgiveDeath)));
    for (const rank of this.job.ranks) this.job.group(rank).tellAgain(rank);
  }

  release(): Promise<void> {
    this.released ??= this.letGo();
    return this.released;
  }

  private async attachOne({ guarded, threadGroup }: Slot, pid: number): Promise<void> {
    const [info, environment] = await Promise.all([processInfo(pid), processEnvironment(pid)]);
    const identity = { ...rankOf(environment, this.plugins.known), host: hostname(), pid };
    const rank = this.job.addRank(identity, guarded.gdb, threadGroup);
    const wasStopped = info?.state === 'T';
    if (wasStopped) this.stoppedBefore.add(rank);
    guarded.hold(pid, wasStopped ? 'stop' : 'continue');
    try {
      await targetAttach(rank, pid);
      await this.job.group(rank).held(rank);
      await this.job.group(rank).loadSymbols(rank);
    } catch (error) {
      if (error instanceof RankEndedError) throw new StartError(`process ${pid} ended while it was attached to`);
      if (error instanceof GdbError) throw new StartError(await refusalAfter(pid, error.message));
      throw error;
    }
  }

  private async letGo(): Promise<void> {
    await this.job.detachAll((rank) => {
      // It waits at the process, which takes it before it runs one instruction.
      if (this.stoppedBefore.has(rank) && rank.pid !== undefined) process.kill(rank.pid, 'SIGSTOP');
    });
    // Also where detaching failed: a gdb that ends lets go, and its guardian looks after the rest.
    await this.pool.end();
    this.hub.close();
  }
}
