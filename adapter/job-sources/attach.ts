/** Attaches to running processes of a host: a Job whose release leaves each of them exactly as it was. */
import { counted } from '../../plugin-api/counted';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { AgentError } from '../agent/agent-script';
import { GuardedHost } from '../agent/guarded-gdb';
import { Hub } from '../agent/hub';
import { GdbError } from '../gdb/mi/mi-connection';
import { ignoreVforks } from '../gdb/python/vfork-script';
import { inTime, realClock } from '../job/clock';
import { maxInterrupt } from '../job/detach';
import { ignoreIfGone, lossOf, RankEndedError } from '../job/rank-ended';
import { reveal } from '../job/shown-ranks';
import { learnRoles } from '../job/thread-role';
import type { AbsentRank, Job, JobHost, JobSource } from '../job/job';
import { newJob } from '../job/job-record';
import { mayReturn, type Rank } from '../job/rank';
import { GdbPool, type PoolMember, type Slot } from '../gdb/gdb-pool';
import type { GdbHost } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { placesOf, type RankPlace } from '../launchers/rank-places';
import { ProcessAccessError } from '../hosts/process-access-error';
import { refusalAfter } from '../hosts/ptrace-refusal';
import { symbolFilesOf, type SymbolFiles } from '../images/live/symbol-files';
import { attachRank, attachRankWithFiles, findsFiles } from '../job/attach-rank';
import { StartError, untilAborted } from '../job/start-error';
import { OtherProcesses, type Others } from './other-processes';
import { sorted, type Candidate, type Refused } from './refused-processes';
import { SpecialFiles } from './special-files';

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
  /** Ranks that have ended, and cannot be attached to. */
  dead?: readonly AbsentRank[];
  /** Processes that cannot be attached to come to the job when they can be. */
  takesUpRefused?: boolean;
  /** Ranks that this launcher on our host starts later come to the job. */
  launcherOfLate?: number;
  /** Called when everything is ready, right before the first process is stopped. */
  beforeHold?: () => void;
}

/**
 * Resolves when every process is stopped ('stopped', reason 'attach') with symbols loaded; job.start tells these stops
 * as events. Processes that cannot be attached to are left out as long as there are others: job.absent says why. Rejects with
 * StartError, UnusableGdbError.
 */
export async function attach({ plugins = new PluginRegistry(), ...options }: AttachOptions): Promise<Job> {
  const hub = await Hub.listen(plugins.known);
  const host = new GuardedHost(hub);
  try {
    const places = await placesOf(
      options.pids.map((pid) => new HostProcess(host, pid)),
      plugins.known,
    );
    const targets = options.pids.map((pid, index) => ({ host, pid, place: places[index]! }));
    return await attachOn(targets, { ...options, plugins }, () => hub.close());
  } catch (error) {
    hub.close();
    throw error;
  }
}

/** A process of any host. */
export interface AttachTarget {
  host: GdbHost;
  /** The pid of the process, or of the thread through which it is reached. */
  pid: number;
  place: RankPlace;
}

/** Attaches to processes on any hosts. `released` is called when nothing of the job is left, and waited for. */
export async function attachOn(
  targets: readonly AttachTarget[],
  {
    plugins = new PluginRegistry(),
    gdb = 'gdb',
    signal,
    dead = [],
    takesUpRefused = false,
    launcherOfLate,
    beforeHold,
    onHeld,
  }: Omit<AttachOptions, 'pids'>,
  released: () => unknown = () => undefined,
): Promise<Job> {
  const { free, refused } = await sorted(targets);
  if (free.length === 0 && refused.length > 0) throw new StartError(refused[0]!.why);
  if (targets.length === 0)
    throw new StartError(`${counted(dead.length, 'rank')} of the job ended, and none is left to look at`);

  let source: AttachedProcesses | undefined;
  try {
    const starting = GdbPool.start(
      [...free, ...(takesUpRefused ? refused : [])].map(({ host }) => host),
      gdb,
    );
    // Given up while they start: those that do start afterwards lose their connection, and end.
    const pool = await untilAborted(signal, starting);
    source = new AttachedProcesses(pool, plugins, { dead, refused, takesUpRefused, launcherOfLate }, released);
    await untilAborted(signal, source.attachAll(free, { beforeHold, onHeld }));
    return source.job;
  } catch (error) {
    await source?.release();
    if (error instanceof AgentError) throw new StartError(error.message);
    throw error;
  }
}

/** A process that gdb could not attach to, and does not hold. */
class LeftOutError extends StartError {}

class AttachedProcesses implements JobSource {
  readonly kind = 'attach';
  readonly job: Job;
  private readonly jobHost: JobHost;
  private readonly stoppedBefore = new Set<Rank>();
  private released: Promise<void> | undefined;
  private readonly others: OtherProcesses;
  /** Settles when no process is being attached to. */
  private attaching: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: GdbPool,
    readonly plugins: PluginRegistry,
    others: Others,
    private readonly whenReleased: () => unknown,
  ) {
    const gdbs = pool.members.map(({ gdb }) => gdb);
    const { job, jobHost } = newJob(this, gdbs);
    this.job = job;
    this.jobHost = jobHost;
    this.others = new OtherProcesses(jobHost, pool, plugins.known, others, (work) => this.attachingTo([work]));
    jobHost.on('rankEnded', () => {
      if (!jobHost.ranks.some((rank) => rank.alive || mayReturn(rank))) jobHost.ended({});
    });
  }

  /** Rejects with StartError where none can be attached to, and when attaching is given up. */
  async attachAll(
    candidates: readonly Candidate[],
    { beforeHold, onHeld }: { [Name in 'beforeHold' | 'onHeld']: AttachOptions[Name] | undefined },
  ): Promise<void> {
    const slots = await this.pool.slots();
    const files = new SpecialFiles();
    const special = await Promise.all(candidates.map(({ process }) => files.of(process)));
    const known = await Promise.all(candidates.map(({ process }) => filesOf(process)));
    this.throwIfReleased();
    beforeHold?.();
    let held = 0;
    const leftOut: Refused[] = [];
    const one = async (index: number, known?: SymbolFiles): Promise<void> => {
      const candidate = candidates[index]!;
      try {
        refuseSpecialFile(candidate.process, special[index]);
        await this.attachOne(slots[index]!, candidate, known);
      } catch (error) {
        if (!(error instanceof LeftOutError)) throw error;
        leftOut.push({ ...candidate, why: error.message, startTime: undefined });
        if (leftOut.length === candidates.length) throw error;
      }
      onHeld?.(++held, candidates.length);
    };
    const isLost = known.map((each) => each !== undefined && !findsFiles(each));
    await this.attachingTo(candidates.flatMap((_, index) => (isLost[index] ? [] : [one(index)])));
    for (const index of candidates.keys()) if (isLost[index]) await this.attachingTo([one(index, known[index])]);
    this.others.leaveOut(leftOut);
    for (const rank of this.jobHost.ranks) reveal(rank, 'attach');
  }

  private attachingTo(work: readonly Promise<unknown>[]): Promise<unknown> {
    this.attaching = Promise.allSettled([this.attaching, ...work]);
    return Promise.all(work);
  }

  async start(): Promise<void> {
    await Promise.all(this.jobHost.ranks.map((rank) => learnRoles(rank, this.plugins.known).catch(ignoreIfGone)));
    for (const rank of this.jobHost.ranks) this.jobHost.group(rank).tellAgain(rank);
    await this.others.watch();
  }

  release(): Promise<void> {
    this.released ??= this.letGo();
    return this.released;
  }

  async takeBack(ranks: readonly Rank[]): Promise<void> {
    await this.attachingTo([this.others.takeBack(ranks, this.stoppedBefore)]);
  }

  reportsWatchpoints({ gdb }: Rank): Promise<boolean | undefined> {
    return this.pool.reportsWatchpoints(gdb);
  }

  /** `files`: of a process whose files gdb does not find. */
  private async attachOne(
    { member, threadGroup }: Slot,
    { process, place }: Candidate,
    files?: SymbolFiles,
  ): Promise<void> {
    const { host, pid } = process;
    const info = await process.status();
    this.throwIfReleased();
    const found = info === undefined ? {} : { foundAs: info.state };
    const identity = { ...place, ...found, host: host.name, process };
    const rank = this.jobHost.addRank(identity, member.gdb, threadGroup);
    const wasStopped = info?.state === 'T';
    if (wasStopped) this.stoppedBefore.add(rank);
    member.hold(pid, wasStopped ? 'stop' : 'continue');
    const group = this.jobHost.group(rank);
    const taken = files === undefined ? attachRank(group, rank, pid) : attachRankWithFiles(group, rank, pid, files);
    await taken.catch(async (error: unknown) => {
      if (lossOf(rank) !== undefined)
        throw new StartError(`gdb ${member.gdb.howEnded} while it attached to process ${pid}`);
      const why = await whyNotTaken(process, error);
      if (why === undefined) throw error;
      this.leaveOut(rank, member);
      throw new LeftOutError(why);
    });
    this.throwIfReleased();
    try {
      await ignoreVforks(rank);
      await group.loadSymbols(rank);
    } catch (error) {
      if (lossOf(rank) !== undefined)
        throw new StartError(`gdb ${member.gdb.howEnded} while it attached to process ${pid}`);
      if (error instanceof GdbError) throw new StartError(await refusalAfter(process, error.message));
      if (!(error instanceof RankEndedError)) throw error;
      this.leaveOut(rank, member);
      throw new LeftOutError(endedMeanwhile(process));
    }
  }

  private leaveOut(rank: Rank, member: PoolMember): void {
    if (rank.pid !== undefined) member.forget(rank.pid);
    this.stoppedBefore.delete(rank);
    this.jobHost.removeRank(rank);
  }

  /** Attaching to others failed, or was cancelled. */
  private throwIfReleased(): void {
    if (this.released !== undefined) throw new StartError('the start was cancelled');
  }

  private async letGo(): Promise<void> {
    this.others.stop();
    // A process that gdb has not stopped yet, as far as it knows itself, would be let go with gdb's breakpoints in its code.
    await inTime(realClock, this.attaching, maxInterrupt);
    await this.jobHost.detachAll(async (rank) => {
      // It waits at the process, which takes it before it runs one instruction.
      if (this.stoppedBefore.has(rank)) await rank.process?.signal('SIGSTOP');
    });
    // Even if detaching failed: a gdb that ends detaches, and its guardian does the rest.
    await this.pool.end();
    await this.whenReleased();
  }
}

/** Undefined: it cannot be seen, and gdb will tell why. */
async function filesOf(process: HostProcess): Promise<SymbolFiles | undefined> {
  try {
    return await symbolFilesOf(process);
  } catch (error) {
    if (error instanceof ProcessAccessError) return undefined;
    throw error;
  }
}

/** gdb would wait for `special` while the process is held. Throws LeftOutError. */
function refuseSpecialFile({ pid }: HostProcess, special: string | undefined): void {
  if (special !== undefined)
    throw new LeftOutError(
      `process ${pid} cannot be attached to: gdb would open ${special}, which is not a regular file, and wait for it`,
    );
}

/** undefined: for a reason that is not the process'. */
async function whyNotTaken(process: HostProcess, error: unknown): Promise<string | undefined> {
  if (error instanceof RankEndedError) return endedMeanwhile(process);
  return error instanceof GdbError ? refusalAfter(process, error.message) : undefined;
}

function endedMeanwhile({ pid }: HostProcess): string {
  return `process ${pid} ended while gdb attached to it`;
}
