/**
 * Looks at processes of this machine without a debugger: the kernel stops them, and their stacks are followed by what each library
 * keeps for that. They are held for a fraction of the time in which a gdb attaches. Where anything is in the way, the look is left to gdb.
 */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { FaultError, QueryError } from '../../../plugin-api/result';
import { Holder } from '../../agent/holder';
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { ProcessAccessError } from '../../hosts/process-access-error';
import { StillHost } from '../../hosts/still-host';
import { UnwindError } from '../../machine-code/unwind-error';
import type { DeadRank } from '../../job/job';
import type { AttachTarget } from '../../job-sources/attach';
import type { StandingThread } from '../positions/held-stack';
import { HeldRank, type SeenRank } from './held-rank';
import { endedState, unreadState } from './look';
import { SharedTraffic } from './traffic';

export interface HeldLook {
  look: ProcessState[];
  /** How long the processes were held, in milliseconds. */
  held: number;
  /** Those that could be read. */
  seen: readonly SeenRank[];
}

/** Of processes of which some are about to end, and wait with that until they have been looked at. */
export interface DyingThreads {
  /** Asked when all are held: where the thread was when it began to end; undefined: it did not. */
  at: (pid: number, tid: number) => Omit<StandingThread, 'tid'> | undefined;
  /** Called when all have been read, and none is held any more. */
  onRead?: (() => void) | undefined;
}

/** Of this machine. */
export interface FoundProcesses {
  targets: readonly Pick<AttachTarget, 'pid' | 'place'>[];
  dead: readonly DeadRank[];
}

interface Found {
  id: ProcessState['id'];
  /** Through which it is reached. */
  pid: number;
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

  /**
   * undefined: gdb has to look. Every process is as it was when the promise settles, also when `signal` is aborted. With `dying`, for
   * which gdb would be late, one that cannot be read has its reason in its state.
   */
  async look(processes: FoundProcesses, signal: AbortSignal, dying?: DyingThreads): Promise<HeldLook | undefined> {
    try {
      const found = await findAll(this.host, processes.targets);
      const seen = found && (await this.lookAt(found, signal, dying));
      return seen && { ...seen, look: [...seen.look, ...processes.dead.map(endedState)] };
    } catch (error) {
      if (isInTheWay(error)) return undefined;
      throw error;
    } finally {
      this.host.forget();
    }
  }

  private async lookAt(
    found: readonly Found[],
    signal: AbortSignal,
    dying: DyingThreads | undefined,
  ): Promise<HeldLook | undefined> {
    const pids = found.map(({ pid }) => pid);
    const ranks = pids.map((pid) => this.rankOf(pid));
    // A job that dies has no time to lose, and as long as its ranks are not held, they may take the processors from us.
    if (dying === undefined) await Promise.all(ranks.map((rank) => rank.prepare().catch(ifInTheWay)));
    const holder = new Holder();
    try {
      const traffic = new SharedTraffic();
      const begin = performance.now();
      const held = await holder.hold(pids, signal);
      if (held === undefined || signal.aborted) return undefined;
      this.host.forget();
      const threadsOf = ({ pid }: Found): readonly StandingThread[] =>
        (held.get(pid) ?? []).map((thread) => ({ ...thread, ...dying?.at(pid, thread.tid) }));
      const failures = await Promise.all(
        found.map((each, index) =>
          ranks[index]!.read({ ...each, threads: threadsOf(each) }, traffic).then(
            () => undefined,
            dying === undefined ? raise : reasonOf,
          ),
        ),
      );
      if (!(await holder.end())) return undefined;
      const time = performance.now() - begin;
      dying?.onRead?.();
      const states = ranks.map(async (rank, index) => {
        const failure = failures[index];
        return failure === undefined ? rank.state() : unreadState(found[index]!.id, failure);
      });
      const readable = ranks.filter((_, index) => failures[index] === undefined);
      return { look: await Promise.all(states), held: time, seen: readable.map((rank) => rank.whatWasSeen()) };
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

function raise(error: unknown): never {
  throw error;
}

function reasonOf(error: unknown): string {
  ifInTheWay(error);
  return (error as Error).message;
}

/** A process that runs may be in the middle of anything. */
function ifInTheWay(error: unknown): void {
  if (!isInTheWay(error)) throw error;
}

/** undefined: one of them is not there, or is debugged already. */
async function findAll(host: StillHost, targets: FoundProcesses['targets']): Promise<Found[] | undefined> {
  const found = await Promise.all(
    targets.map(async ({ pid, place }) => ({ pid, place, status: await new HostProcess(host, pid).status() })),
  );
  const all = found.flatMap(({ pid, place: { number, world, pid: process }, status }) => {
    if (status === undefined || status.tracer !== 0 || status.state === 'Z') return [];
    const id = { rank: number, host: localHost.name, pid: process, ...(world === undefined ? {} : { world }) };
    return [{ id, pid, foundAs: status.state }];
  });
  return all.length < targets.length ? undefined : all;
}
