/**
 * Looks at processes of this machine without a debugger: the kernel stops them, and their stacks are followed by what each library
 * keeps for that. They are held for a fraction of the time in which a gdb attaches. Where anything is in the way, the look is left to gdb.
 */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { FaultError, QueryError } from '../../../plugin-api/result';
import { Holder, type HeldThread } from '../../agent/holder';
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { ProcessAccessError } from '../../hosts/process-access-error';
import { StillHost } from '../../hosts/still-host';
import { rankOf } from '../../launchers/rank-of-environment';
import { UnwindError } from '../../machine-code/unwind-error';
import { HeldRank } from './held-rank';
import { SharedTraffic } from './traffic';

export interface HeldLook {
  look: ProcessState[];
  /** How long the processes were held, in milliseconds. */
  held: number;
}

interface Found {
  id: ProcessState['id'] & { pid: number };
  /** As in proc(5). */
  foundAs: string;
}

/** Looks at a job: one that finds it as the one before takes little. */
export class HeldLooks {
  private readonly host = new StillHost();
  private readonly ranks = new Map<number, HeldRank>();

  constructor(
    private readonly plugins: PluginRegistry,
    private readonly gdb: string,
  ) {}

  /** undefined: gdb has to look. Every process is as it was when the promise settles, also when `signal` is aborted. */
  async look(pids: readonly number[], signal: AbortSignal): Promise<HeldLook | undefined> {
    try {
      const found = await findAll(this.host, pids, this.plugins.known);
      return found && (await this.lookAt(found, signal));
    } catch (error) {
      if (isInTheWay(error)) return undefined;
      throw error;
    } finally {
      this.host.forget();
    }
  }

  private async lookAt(found: readonly Found[], signal: AbortSignal): Promise<HeldLook | undefined> {
    const pids = found.map(({ id }) => id.pid);
    const ranks = pids.map((pid) => this.rankOf(pid));
    await Promise.all(ranks.map((rank) => rank.prepare().catch(ifInTheWay)));
    const holder = new Holder();
    try {
      const traffic = new SharedTraffic();
      const begin = performance.now();
      const held = await holder.hold(pids, signal);
      if (held === undefined || signal.aborted) return undefined;
      this.host.forget();
      const threadsOf = ({ id }: Found): readonly HeldThread[] => held.get(id.pid) ?? [];
      await Promise.all(found.map((each, index) => ranks[index]!.read({ ...each, threads: threadsOf(each) }, traffic)));
      if (!(await holder.end())) return undefined;
      const time = performance.now() - begin;
      return { look: await Promise.all(ranks.map((rank) => rank.state())), held: time };
    } finally {
      await holder.end();
      for (const rank of ranks) rank.close();
    }
  }

  private rankOf(pid: number): HeldRank {
    let rank = this.ranks.get(pid);
    if (rank === undefined) {
      rank = new HeldRank(new HostProcess(this.host, pid), { plugins: this.plugins, gdb: this.gdb });
      this.ranks.set(pid, rank);
    }
    return rank;
  }
}

/** A stack without an end, a table that does not fit, a process that has ended: gdb finds more, or the words for it. */
function isInTheWay(error: unknown): boolean {
  return (
    error instanceof UnwindError ||
    error instanceof QueryError ||
    error instanceof FaultError ||
    error instanceof ProcessAccessError
  );
}

/** A process that runs may be in the middle of anything. */
function ifInTheWay(error: unknown): void {
  if (!isInTheWay(error)) throw error;
}

/** undefined: one of them is not there, or is debugged already. */
async function findAll(host: StillHost, pids: readonly number[], mpis: KnownMpis): Promise<Found[] | undefined> {
  const found = await Promise.all(
    pids.map(async (pid) => {
      const process = new HostProcess(host, pid);
      const [status, environment] = await Promise.all([process.status(), process.environment()]);
      return { pid, status, ...rankOf(environment, mpis) };
    }),
  );
  const worlds = new Set(found.map(({ world }) => world));
  const all = found.flatMap(({ pid, status, number, world }) =>
    status === undefined || status.tracer !== 0 || status.state === 'Z'
      ? []
      : [
          {
            id: {
              rank: number,
              host: localHost.name,
              pid,
              ...(worlds.size > 1 ? { world: world ?? 'unknown' } : {}),
            },
            foundAs: status.state,
          },
        ],
  );
  return all.length < pids.length ? undefined : all;
}
