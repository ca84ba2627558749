/** The ranks of a launch, each of which an agent holds until gdb has it and the agent becomes the program. */
import type { Peer } from '../agent/hub';
import type { JobHosts } from '../agent/job-hosts';
import type { PoolMember, Slot } from '../gdb/gdb-pool';
import { breakDelete, catchExec } from '../gdb/mi/breakpoint-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import { execContinue } from '../gdb/mi/program-execution';
import { ignoreVforks } from '../gdb/python/vfork-script';
import { HostProcess } from '../hosts/host-process';
import { refusalAfter } from '../hosts/ptrace-refusal';
import { attachRank } from '../job/attach-rank';
import type { JobHost } from '../job/job';
import type { Rank } from '../job/rank';
import { lossOf, RankEndedError } from '../job/rank-ended';
import { StartError } from '../job/start-error';
import type { LaunchOptions } from '../launchers/launch-options';
import type { HostPreloads } from './host-preloads';

export class CarriedRanks {
  private readonly agents = new Map<Rank, Peer>();
  private readonly guardians = new Map<Rank, PoolMember>();

  constructor(
    private readonly hosts: JobHosts,
    private readonly preloads: HostPreloads,
  ) {}

  /** `slots` and `arrivals`: in one order. Rejects with StartError. */
  async holdAll(
    job: JobHost,
    slots: readonly Slot[],
    arrivals: readonly Promise<Peer>[],
    onHeld: LaunchOptions['onHeld'],
  ): Promise<void> {
    let held = 0;
    await Promise.all(
      slots.map(async (slot, index) => {
        await this.hold(job, slot, await arrivals[index]);
        onHeld?.(++held, slots.length);
      }),
    );
  }

  /** Also for a rank that no agent carries. */
  guardedBy(rank: Rank, member: PoolMember): void {
    this.guardians.set(rank, member);
  }

  /** The guardians let the ranks run on when gdb ends. */
  letGo(ranks: readonly Rank[]): void {
    for (const rank of ranks) {
      if (rank.alive && rank.pid !== undefined) this.guardians.get(rank)?.hold(rank.pid, 'continue');
    }
  }

  /** Attaches to the agent that holds the rank. */
  private async hold(job: JobHost, { member, threadGroup }: Slot, agent: Peer | undefined): Promise<void> {
    if (agent === undefined) return;
    const { rank: number, size, pid, host = '' } = agent.hello.fields;
    const process = new HostProcess(this.hosts.of(agent), Number(pid));
    const rank = job.addRank(
      {
        number: number === undefined ? null : Number(number),
        host,
        pid: process.pid,
        ...(host === process.host.name ? { process } : {}),
        worldSize: size === undefined ? undefined : Number(size),
      },
      member.gdb,
      threadGroup,
    );
    this.agents.set(rank, agent);
    this.guardians.set(rank, member);
    member.hold(process.pid, 'kill');
    try {
      await attachRank(job.group(rank), rank, process.pid);
      await ignoreVforks(rank);
    } catch (error) {
      const loss = lossOf(rank);
      if (loss !== undefined) throw new StartError(`${loss} before the rank was started`);
      if (error instanceof RankEndedError) throw new StartError(`${rank.label} ended before it was started`);
      if (error instanceof GdbError) throw new StartError(await refusalAfter(process, error.message));
      throw error;
    }
  }

  /** Turns every waiting agent into its program, and stops each before the program's first instruction. Rejects with StartError. */
  async execAll(job: JobHost): Promise<void> {
    const catchpoints = await Promise.all(job.gdbs.map((gdb) => catchExec(gdb)));
    await Promise.all(job.ranks.map((rank) => this.exec(job, rank)));
    await Promise.all(job.gdbs.map((gdb, index) => breakDelete(gdb, catchpoints[index] ?? '')));
  }

  private async exec(job: JobHost, rank: Rank): Promise<void> {
    let failure: string | undefined;
    const agent = this.agents.get(rank);
    agent?.on('message', ({ kind, fields }) => {
      if (kind === 'failed') failure = fields.reason;
    });
    try {
      const held = job.group(rank).heldAgain(rank);
      held.catch(() => undefined);
      const preload = agent === undefined ? [] : await this.preloads.of(this.hosts.of(agent));
      await execContinue(rank);
      agent?.send('go', preload.length > 0 ? { preload: preload.join(':') } : {});
      await held;
    } catch (error) {
      const loss = lossOf(rank);
      if (loss !== undefined) throw new StartError(`${loss} before the program was started`);
      if (!(error instanceof RankEndedError)) throw error;
      throw new StartError(`${rank.label} could not run the program: ${failure ?? 'it ended at once'}`);
    }
  }
}
