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
import type { Rank } from '../job/rank';
import { GdbPool, type Slot } from '../gdb/gdb-pool';
import type { GdbHost } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { localHost } from '../hosts/local-host';
import { placesOf, type RankPlace } from '../launchers/rank-places';
import { ProcessAccessError } from '../hosts/process-access-error';
import { refusalAfter, refusalBefore } from '../hosts/ptrace-refusal';
import { symbolFilesOf, type SymbolFiles } from '../images/live/symbol-files';
import { attachRank, attachRankWithFiles, findsFiles } from '../job/attach-rank';
import { StartError, untilAborted } from '../job/start-error';
import { LateRanks, type Joining } from './late-ranks';
import { LateWatch } from './late-watch';
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
  /** Processes that cannot be attached to are left out, as long as others can: the job says why. Else nothing is attached to. */
  leavesOutRefused?: boolean | undefined;
  /** Ranks that this launcher on our host starts later come to the job. */
  launcherOfLate?: number;
  /** Called when everything is ready, right before the first process is stopped. */
  beforeHold?: () => void;
}

/**
 * Resolves when every process is stopped ('stopped', reason 'attach') with symbols loaded; job.start tells these stops
 * as events. Rejects with StartError, UnusableGdbError.
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
    leavesOutRefused = false,
    launcherOfLate,
    beforeHold,
    onHeld,
  }: Omit<AttachOptions, 'pids'>,
  released: () => unknown = () => undefined,
): Promise<Job> {
  const asked = await Promise.all(
    targets.map(async ({ host, pid, place }) => {
      const process = new HostProcess(host, pid);
      return { host, process, place, refused: await refusalBefore(process) };
    }),
  );
  const refused = asked.flatMap(({ process, place, refused: why }): AbsentRank[] =>
    why === undefined ? [] : [{ ...place, host: process.host.name, pid: process.pid, refused: why }],
  );
  const taken = asked.filter((one) => one.refused === undefined);
  if (refused.length > 0 && !(leavesOutRefused && taken.length > 0)) throw new StartError(refused[0]!.refused!);
  if (targets.length === 0)
    throw new StartError(`${counted(dead.length, 'rank')} of the job ended, and none is left to look at`);

  let source: AttachedProcesses | undefined;
  try {
    const starting = GdbPool.start(
      taken.map(({ host }) => host),
      gdb,
    );
    // Given up while they start: those that do start afterwards lose their connection, and end.
    const pool = await untilAborted(signal, starting);
    source = new AttachedProcesses(pool, plugins, [...dead, ...refused], launcherOfLate, released);
    await untilAborted(signal, source.attachAll(taken, { beforeHold, onHeld }));
    return source.job;
  } catch (error) {
    await source?.release();
    if (error instanceof AgentError) throw new StartError(error.message);
    throw error;
  }
}

interface PlacedProcess {
  process: HostProcess;
  place: RankPlace;
}

class AttachedProcesses implements JobSource {
  readonly kind = 'attach';
  readonly job: Job;
  private readonly jobHost: JobHost;
  private readonly stoppedBefore = new Set<Rank>();
  private released: Promise<void> | undefined;
  private late: LateWatch | undefined;
  /** Settles when no process is being attached to. */
  private attaching: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pool: GdbPool,
    readonly plugins: PluginRegistry,
    absent: readonly AbsentRank[],
    private readonly launcherOfLate: number | undefined,
    private readonly whenReleased: () => unknown,
  ) {
    const gdbs = pool.members.map(({ gdb }) => gdb);
    const { job, jobHost } = newJob(this, gdbs);
    this.job = job;
    this.jobHost = jobHost;
    jobHost.setAbsent(absent);
    jobHost.on('rankEnded', () => {
      if (!jobHost.ranks.some((rank) => rank.alive)) jobHost.ended({});
    });
  }

  async attachAll(
    placed: readonly PlacedProcess[],
    { beforeHold, onHeld }: { [Name in 'beforeHold' | 'onHeld']: AttachOptions[Name] | undefined },
  ): Promise<void> {
    const slots = await this.pool.slots();
    const files = new SpecialFiles();
    await Promise.all(placed.map(({ process }) => refuseSpecialFile(process, files)));
    const known = await Promise.all(placed.map(({ process }) => filesOf(process)));
    this.throwIfReleased();
    beforeHold?.();
    let held = 0;
    const one = async (index: number, known?: SymbolFiles): Promise<void> => {
      await this.attachOne(slots[index]!, placed[index]!, known);
      onHeld?.(++held, placed.length);
    };
    const isLost = known.map((each) => each !== undefined && !findsFiles(each));
    const attaching = slots.flatMap((_, index) => (isLost[index] ? [] : [one(index)]));
    this.attaching = Promise.allSettled(attaching);
    await Promise.all(attaching);
    for (const index of slots.keys()) {
      if (!isLost[index]) continue;
      const attached = one(index, known[index]);
      this.attaching = Promise.allSettled([attached]);
      await attached;
    }
    for (const rank of this.jobHost.ranks) reveal(rank, 'attach');
  }

  async start(): Promise<void> {
    await Promise.all(this.jobHost.ranks.map((rank) => learnRoles(rank, this.plugins.known).catch(ignoreIfGone)));
    for (const rank of this.jobHost.ranks) this.jobHost.group(rank).tellAgain(rank);
    await this.watchForLate();
  }

  private async watchForLate(): Promise<void> {
    const { launcherOfLate: launcher, jobHost, plugins } = this;
    const host = this.pool.hostNamed(localHost.name);
    if (launcher === undefined || host === undefined) return;
    const late = new LateRanks(jobHost, this.pool, plugins.known);
    await late.learn();
    const known = jobHost.ranks.flatMap(({ pid }) => pid ?? []);
    const watch = new LateWatch(host, launcher, known, plugins.known, realClock, async (pid) => {
      this.attaching = late.join(host, pid, this.joining);
      await this.attaching;
    });
    this.late = watch;
    watch.start();
  }

  /** A process of the job that has come since. */
  private get joining(): Joining {
    return {
      seesAll: false,
      whenLost: 'continue',
      held: () => Promise.resolve(),
      failed: () => Promise.resolve(),
      prepare: (group, rank) => group.loadSymbols(rank),
    };
  }

  release(): Promise<void> {
    this.released ??= this.letGo();
    return this.released;
  }

  reportsWatchpoints({ gdb }: Rank): Promise<boolean | undefined> {
    return this.pool.reportsWatchpoints(gdb);
  }

  /** `files`: of a process whose files gdb does not find. */
  private async attachOne(
    { member, threadGroup }: Slot,
    { process, place }: PlacedProcess,
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
    try {
      const group = this.jobHost.group(rank);
      await (files === undefined ? attachRank(group, rank, pid) : attachRankWithFiles(group, rank, pid, files));
      this.throwIfReleased();
      await ignoreVforks(rank);
      await this.jobHost.group(rank).loadSymbols(rank);
    } catch (error) {
      const loss = lossOf(rank);
      if (loss !== undefined) throw new StartError(`gdb ${member.gdb.howEnded} while it attached to process ${pid}`);
      if (error instanceof RankEndedError) throw new StartError(`process ${pid} ended while gdb attached to it`);
      if (error instanceof GdbError) throw new StartError(await refusalAfter(process, error.message));
      throw error;
    }
  }

  /** Attaching to others failed, or was cancelled. */
  private throwIfReleased(): void {
    if (this.released !== undefined) throw new StartError('the start was cancelled');
  }

  private async letGo(): Promise<void> {
    this.late?.stop();
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

/** gdb would wait for it while the process is held. Rejects with StartError. */
async function refuseSpecialFile(process: HostProcess, files: SpecialFiles): Promise<void> {
  const special = await files.of(process);
  if (special !== undefined)
    throw new StartError(
      `process ${process.pid} cannot be attached to: gdb would open ${special}, which is not a regular file, and wait for it`,
    );
}
