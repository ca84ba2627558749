/**
 * Looks at processes without a debugger, on any of a job's hosts: the kernel stops them, and their stacks are followed by what each library
 * keeps for that. They are held for a fraction of the time in which a gdb attaches. Where anything is in the way, the look is left to gdb.
 */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { FaultError, QueryError } from '../../../plugin-api/result';
import type { Host } from '../../hosts/host';
import { HostProcess } from '../../hosts/host-process';
import { LocalHost } from '../../hosts/local-host';
import { Networks } from '../../hosts/network-state';
import { ProcessAccessError } from '../../hosts/process-access-error';
import { StillHost } from '../../hosts/still-host';
import { UnwindError } from '../../../plugin-api/processor/unwind/unwind-error';
import type { AbsentRank } from '../../job/job';
import { untilAborted } from '../../job/start-error';
import type { AttachTarget } from '../../job-sources/attach';
import type { StandingThread } from '../positions/held-stack';
import { HeldRank, type SeenRank } from './held-rank';
import { HoldersOfHosts } from './holders-of-hosts';
import { absentState, networkOf, unreadState } from './look';
import { SharedTraffic } from './traffic';

export interface HeldLook {
  look: ProcessState[];
  /** How long the processes were held, in milliseconds. */
  held: number;
  /** Those that could be read. */
  seen: readonly SeenRank[];
}

/** Threads that are about to end their process, and wait with that until they have been looked at. */
export interface DyingThreads {
  /** Asked when all are held: where the thread was when it began to end; undefined: it did not. */
  at: (host: Host, pid: number, tid: number) => Omit<StandingThread, 'tid'> | undefined;
  /** Called when all have been read, and none is held any more. */
  onRead?: (() => void) | undefined;
}

export interface FoundProcesses {
  targets: readonly (Pick<AttachTarget, 'pid' | 'place'> & { host: Host })[];
  dead: readonly AbsentRank[];
}

interface Found {
  id: ProcessState['id'];
  host: Host;
  /** As it was found: on this machine the look itself goes through another one. */
  through: Host;
  /** Through which it is reached. */
  pid: number;
  /** As in proc(5). */
  foundAs: string;
}

/** Looks at a job: one that finds it as the one before takes little. */
export class HeldLooks {
  private readonly here = new StillHost();
  private readonly ranks = new Map<Host, Map<number, HeldRank>>();

  constructor(
    private readonly plugins: PluginRegistry,
    private readonly gdb: string,
  ) {}

  /**
   * undefined: gdb has to look. Every process is as it was when the promise settles, also when `signal` is aborted. With `dying`, for
   * which gdb would be late, one that cannot be read has its reason in its state; rejects as isInTheWay knows if that is so of all.
   */
  async look(processes: FoundProcesses, signal: AbortSignal, dying?: DyingThreads): Promise<HeldLook | undefined> {
    try {
      const { found, lost } = await findAll(this.here, processes.targets);
      if (dying === undefined && lost.length > 0) return undefined;
      const seen = await this.lookAt(found, signal, dying);
      return seen && { ...seen, look: [...seen.look, ...lost, ...processes.dead.map(absentState)] };
    } catch (error) {
      if (dying === undefined && isInTheWay(error)) return undefined;
      throw error;
    } finally {
      this.here.forget();
    }
  }

  private async lookAt(
    found: readonly Found[],
    signal: AbortSignal,
    dying: DyingThreads | undefined,
  ): Promise<HeldLook | undefined> {
    const ranks = found.map((each) => this.rankOf(each));
    // A job that dies has no time to lose, and as long as its ranks are not held, they may take the processors from us.
    if (dying === undefined)
      await endedOrAborted(Promise.all(ranks.map((rank) => rank.prepare().catch(ifInTheWay))), signal);
    if (signal.aborted) return undefined;
    const holders = new HoldersOfHosts(found);
    const isOnSeveral = new Set(found.map(({ host }) => host)).size > 1;
    const networks = isOnSeveral && dying === undefined ? new Networks() : undefined;
    try {
      const traffic = new SharedTraffic();
      const begin = performance.now();
      await holders.hold(signal);
      if (signal.aborted || (dying === undefined && !holders.haveAll)) return undefined;
      this.here.forget();
      const threadsOf = ({ host, pid }: Found): readonly StandingThread[] =>
        holders.threads(host, pid).map((thread) => ({ ...thread, ...dying?.at(host, pid, thread.tid) }));
      const between = Promise.all(found.map(({ through, pid }) => networkOf(new HostProcess(through, pid), networks)));
      between.catch(() => undefined); // whoever waits for it below knows
      const read = await Promise.all(
        found.map(async (each, index) => {
          const threads = threadsOf(each);
          if (threads.length === 0) return holders.whyNot(each.host);
          return ranks[index]!.read({ ...each, threads }, traffic).then(
            () => undefined,
            dying === undefined ? raise : reasonOf,
          );
        }),
      );
      const network = await between;
      const early = await holders.end();
      if (dying === undefined && early.size > 0) return undefined;
      const failures = read.map((failure, index) =>
        early.has(found[index]!.host) && threadsOf(found[index]!).length > 0
          ? 'it went on before it was read'
          : failure,
      );
      const time = performance.now() - begin;
      dying?.onRead?.();
      const states = ranks.map(async (rank, index): Promise<ProcessState> => {
        const failure = failures[index];
        if (failure !== undefined) return unreadState(found[index]!.id, failure);
        return { ...(await rank.state()), ...network[index] };
      });
      const readable = ranks.filter((_, index) => failures[index] === undefined);
      return { look: await Promise.all(states), held: time, seen: readable.map((rank) => rank.whatWasSeen()) };
    } finally {
      await holders.end();
      for (const rank of ranks) rank.close();
    }
  }

  private rankOf({ host, pid }: Found): HeldRank {
    const ofHost = this.ranks.get(host) ?? new Map<number, HeldRank>();
    this.ranks.set(host, ofHost);
    let rank = ofHost.get(pid);
    if (rank === undefined) {
      rank = new HeldRank(new HostProcess(host, pid), { plugins: this.plugins, gdb: this.gdb });
      ofHost.set(pid, rank);
    }
    return rank;
  }
}

/** A stack without an end, a table that does not fit, a process that has ended: gdb finds more, or the words for it. */
export function isInTheWay(error: unknown): boolean {
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

/** Rejects as `work` does. */
async function endedOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await untilAborted(signal, work).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** lost: those that are not there, or are debugged already. Of this machine through `here`. */
async function findAll(
  here: StillHost,
  targets: FoundProcesses['targets'],
): Promise<{ found: Found[]; lost: ProcessState[] }> {
  const all = await Promise.all(
    targets.map(async ({ host: through, pid, place: { number, world, pid: process } }) => {
      const host = through instanceof LocalHost ? here : through;
      const status = await new HostProcess(host, pid).status();
      const id = { rank: number, host: host.name, pid: process, ...(world === undefined ? {} : { world }) };
      if (status === undefined || status.state === 'Z') return { lost: unreadState(id, 'it has ended') };
      if (status.tracer !== 0) return { lost: unreadState(id, 'another debugger holds it') };
      return { found: { id, host, through, pid, foundAs: status.state } };
    }),
  );
  return { found: all.flatMap(({ found }) => found ?? []), lost: all.flatMap(({ lost }) => lost ?? []) };
}
