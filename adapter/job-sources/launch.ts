/** Launches an MPI program through the user's launcher, every rank held until the job is started. */
import { complaintIn } from '../../plugin-api/complaint';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { AgentError } from '../agent/agent-script';
import { Hub, type Peer } from '../agent/hub';
import { JobHosts } from '../agent/job-hosts';
import { superviseLauncher, type LauncherEnd, type SupervisedLauncher } from '../agent/supervised-launcher';
import type { Job, JobHost, JobSource, StartOptions } from '../job/job';
import { newJob } from '../job/job-record';
import { mayReturn, type Rank } from '../job/rank';
import { GdbPool } from '../gdb/gdb-pool';
import { findLauncher, launcherEnvironment, launcherOptions, type Launcher } from '../launchers/launcher';
import { checkLaunch, totalRanks } from '../launchers/launch-checks';
import type { LaunchOptions } from '../launchers/launch-options';
import { doorForOthers } from '../launchers/other-hosts';
import { HostProcess } from '../hosts/host-process';
import { RankOutput } from '../launchers/rank-output';
import { CarriedRanks } from './carried-ranks';
import { HostPreloads } from './host-preloads';
import { allEnded } from './job-end';
import { commandAsTyped, environmentOf, launchCommand, preloadOfSpawned, variablesOfUser } from './launch-command';
import { LateRanks, type Joining } from './late-ranks';
import { rankArrivals } from './rank-arrivals';
import { ReturningRanks } from './returning-ranks';
import { StartError, untilAborted } from '../job/start-error';

/**
 * Resolves when every rank is held before its first instruction ('starting'), so that breakpoints can be set;
 * job.start lets them go. Rejects with StartError, UnusableGdbError; nothing is left running then.
 */
export async function launch(options: LaunchOptions): Promise<Job> {
  await checkLaunch(options);
  const env = environmentOf(options);
  const { plugins = new PluginRegistry() } = options;
  const launcher = await findLauncher(options.launcher, options.cwd, env, plugins.known);
  const door = await doorForOthers(launcher, options.launcherArgs ?? [], { cwd: options.cwd, env }, plugins.known);
  const hub = await Hub.listen(plugins.known, { door });
  const launched = new LaunchedJob(hub, launcher, options, env, plugins);
  try {
    return await untilAborted(options.signal, launched.run());
  } catch (error) {
    await launched.release();
    // Whatever failed first: a rank that is lost with the launcher which was ended for it tells nobody why.
    const cause = launched.unreached() ?? (error instanceof AgentError ? error.message : undefined);
    throw cause === undefined ? error : new StartError(cause);
  }
}

class LaunchedJob implements JobSource {
  readonly kind = 'launch';
  private jobHost: JobHost | undefined;
  /** The job has been handed out: its listeners get the output from now on. */
  private ready = false;
  private starting: Promise<GdbPool> | undefined;
  private supervised: SupervisedLauncher | undefined;
  /** The launcher's last output on standard error: the reason, when it gives up. */
  private complaint = '';
  private released: Promise<void> | undefined;
  /** The agents that have not come yet will not come any more. */
  private giveUpArrivals: () => void = () => undefined;
  private readonly outputs;
  private readonly hosts;
  private readonly carried: CarriedRanks;
  private late: LateRanks | undefined;
  private returning: ReturningRanks | undefined;
  /** For ranks that run already. */
  private readonly joining: Joining = {
    seesAll: true,
    whenLost: 'kill',
    held: async (rank, member) => this.carried.guardedBy(rank, member),
    failed: () => Promise.resolve(),
    prepare: (group, rank) => group.loadSymbols(rank),
  };

  constructor(
    private readonly hub: Hub,
    private readonly launcher: Launcher,
    private readonly options: LaunchOptions,
    private readonly env: NodeJS.ProcessEnv,
    readonly plugins: PluginRegistry,
  ) {
    this.hosts = new JobHosts(hub);
    const preloads = new HostPreloads(options.preload ?? [], (text) => options.onOutput?.(text, 'stderr'));
    this.carried = new CarriedRanks(this.hosts, preloads);
    const tag = launcher.facts?.outputTag;
    const output = (stream: 'stdout' | 'stderr'): RankOutput =>
      new RankOutput(tag, ({ rank, world, text }) => {
        // The launcher's complaints about being ended are not shown.
        if (this.released !== undefined) return;
        if (!this.ready) this.options.onOutput?.(text, stream);
        else
          this.jobHost?.printed({
            rank,
            ...(world === undefined ? {} : { world: this.worldNumbered(world) }),
            stream,
            text,
          });
      });
    this.outputs = { stdout: output('stdout'), stderr: output('stderr') };
  }

  /** Other hosts do not have these files. */
  private preloadOfSpawned(): Record<string, string> {
    return this.hub.hasDoor ? {} : preloadOfSpawned(this.options.preload ?? [], this.env);
  }

  private worldNumbered(number: string): string {
    const { numberOf } = this.launcher.facts?.outputTag?.worlds ?? {};
    return this.late?.worldWhere((key) => numberOf?.(key) === number) ?? '?';
  }

  async run(): Promise<Job> {
    const ranks = totalRanks(this.options.programs);
    const arrivals = rankArrivals(this.hub, ranks);
    void Promise.all(arrivals).then(() => this.hub.shutDoor());
    this.starting = this.startGdbs(arrivals);
    this.starting.catch(() => undefined);
    const { launcherArgs: userArgs = [], processManagers } = this.options;
    const options = await launcherOptions(this.launcher, { ranks, userArgs, processManagers });
    if (this.released !== undefined) throw new StartError('the start was cancelled');
    this.options.onOutput?.(`${commandAsTyped(this.launcher, this.options, options)}\n`, 'stdout');
    const { facts } = this.launcher;
    const carried = [...this.hub.agentCommand(this.env), 'carry'];
    const supervised = this.startLauncher(
      launchCommand(
        this.launcher,
        this.options,
        [...(facts?.outputTag?.options ?? []), ...options],
        carried,
        this.forwarded(),
      ),
    );
    const early = supervised.ended.then((end): never => {
      throw new StartError(this.whyEnded(end));
    });
    early.catch(() => undefined);

    const pool = await orEarlier(early, this.starting);
    const gdbs = pool.members.map(({ gdb }) => gdb);
    const { job, jobHost } = newJob(this, gdbs);
    this.jobHost = jobHost;
    this.late = new LateRanks(jobHost, pool, this.plugins.known);
    this.returning = new ReturningRanks(jobHost, pool, this.late, () => this.joining, this.plugins.known);
    jobHost.on('rankEnded', () => {
      // A gdb that does not wait for the last of them, because it loops, would keep the launcher from ending.
      if (!jobHost.ranks.some((rank) => rank.alive || mayReturn(rank))) void pool.end();
    });
    const slots = await pool.slots();
    await orEarlier(early, this.carried.holdAll(jobHost, slots, arrivals, this.options.onHeld));
    await orEarlier(early, this.carried.execAll(jobHost));
    this.ready = true;
    void supervised.ended.then((end) => this.ended(jobHost, end));
    return job;
  }

  private startLauncher(command: readonly string[]): SupervisedLauncher {
    return (this.supervised = superviseLauncher(this.hub, {
      command,
      cwd: this.options.cwd,
      env: { ...this.env, ...launcherEnvironment(this.launcher), ...this.preloadOfSpawned() },
      stdin: this.options.stdin,
      onOutput: (text, stream) => {
        if (stream === 'stderr') this.complaint = (this.complaint + text).slice(-4000);
        if (!this.ready && this.unreached() !== undefined) this.supervised?.terminate();
        this.outputs[stream].add(text);
      },
      followed: {
        starters: this.plugins.known.starters,
        began: (pid, taken) => void this.join(pid, taken),
        blind: (why) =>
          this.jobHost?.tell(
            `processes that MPI_Comm_spawn starts will not be in the session: mpidbg cannot follow the launcher (${why})`,
          ),
      },
    }));
  }

  async start({ stopAtEntry }: StartOptions): Promise<void> {
    const { jobHost: job } = this;
    if (job === undefined) return;
    if (stopAtEntry) await job.breakpoints.stopAtEntry();
    // Waiting breakpoints may be in libraries that are loaded soon: worth the time that MPI_Init takes longer.
    const { anyPending } = job.breakpoints;
    const groups = new Set(job.ranks.map((rank) => job.group(rank)));
    await Promise.all(
      [...groups].map((group) =>
        anyPending ? group.loadSymbolsOfLibrariesAtOnce() : group.ignoreLibraries(group.ranks),
      ),
    );
    await Promise.all(job.ranks.map((rank) => job.group(rank).start(rank)));
  }

  release(leaveRunning = false): Promise<void> {
    this.giveUpArrivals();
    this.returning?.stop();
    this.released ??= leaveRunning ? this.letAllGo() : this.endAll();
    return this.released;
  }

  /** On other hosts a launcher's own environment is not that of the ranks. */
  private forwarded(): string[] {
    return [...this.hub.forwarded, ...(this.hub.hasDoor ? variablesOfUser(this.options) : [])];
  }

  /** While the launcher starts the ranks; where they are may be known only when they have called. */
  private async startGdbs(arrivals: readonly Promise<Peer>[]): Promise<GdbPool> {
    const { hub, hosts, options } = this;
    if (!hub.hasDoor)
      return GdbPool.start(
        arrivals.map(() => hosts.home),
        options.gdb ?? 'gdb',
      );
    const givenUp = new Promise<never>((_, reject) => {
      this.giveUpArrivals = () => reject(new StartError('the start was cancelled'));
    });
    const arrived = (await orEarlier(givenUp, Promise.all(arrivals))).map((peer) => hosts.of(peer));
    return GdbPool.start(arrived, options.gdb ?? 'gdb');
  }

  /** Takes in a process of the job that carries no agent: it is held before its first instruction. */
  private async join(pid: number, taken: () => void): Promise<void> {
    const { late, released, jobHost } = this;
    const process = new HostProcess(this.hosts.home, pid);
    if (late === undefined || jobHost === undefined || released !== undefined) return;
    await late.join(this.hosts.home, pid, {
      seesAll: true,
      whenLost: 'kill',
      held: async (rank, member) => {
        this.carried.guardedBy(rank, member);
        // A session that keeps no process stopped: the one of the launcher's follower ends with this.
        await process.signal('SIGCONT');
        taken();
      },
      failed: async () => {
        await process.signal('SIGCONT');
        taken();
      },
      prepare: (group, rank) =>
        jobHost.breakpoints.anyPending ? group.loadSymbolsOfLibrariesAtOnce() : group.ignoreLibraries([rank]),
    });
  }

  async takeBack(ranks: readonly Rank[]): Promise<void> {
    await this.returning?.takeBack(ranks);
  }

  holdOutput(until: Promise<void>): void {
    this.supervised?.holdOutput(until);
  }

  async reportsWatchpoints({ gdb }: Rank): Promise<boolean | undefined> {
    return (await this.starting)?.reportsWatchpoints(gdb);
  }

  /** What an agent says that is on another host: some launchers wait for the other ranks then, for ever. */
  unreached(): string | undefined {
    return /mpidbg: (the debugger cannot be reached from .*)\n/.exec(this.complaint)?.[1];
  }

  private whyEnded(end: LauncherEnd): string {
    const unreached = this.unreached();
    if (unreached !== undefined) return unreached;
    if (end.notStarted !== undefined) return `the launcher ${this.launcher.path} cannot be run: ${end.notStarted}`;
    const how = end.signal === undefined ? `with status ${end.exitCode ?? 'unknown'}` : `by ${end.signal}`;
    const said = complaintIn(this.complaint);
    const words = said === undefined ? '' : `; it said: ${said}`;
    return `the launcher ${this.launcher.path} ended ${how} before all ranks were started${words}`;
  }

  private async ended(job: JobHost, { exitCode, signal }: LauncherEnd): Promise<void> {
    for (const output of Object.values(this.outputs)) output.flush();
    await allEnded(job);
    await this.release();
    job.ended({ exitCode, signal });
  }

  private async letAllGo(): Promise<void> {
    this.carried.letGo(this.jobHost?.ranks ?? []);
    this.supervised?.leave();
    await this.jobHost?.detachAll();
    const pool = await this.starting?.catch(() => undefined);
    await pool?.end();
    this.hub.close();
  }

  private async endAll(): Promise<void> {
    const ranks = this.jobHost?.ranks ?? [];
    for (const rank of ranks) this.jobHost?.group(rank).release();
    // Ranks that gdb holds do not hear the launcher, which would wait for them.
    await Promise.all(ranks.map(async (rank) => rank.alive && rank.process?.signal('SIGKILL')));
    this.supervised?.terminate();
    await this.supervised?.ended;
    const pool = await this.starting?.catch(() => undefined);
    await pool?.end();
    this.hub.close();
  }
}

/** Has no limit: a launcher may wait for its turn as long as the user does, who can cancel the start. */
function orEarlier<T>(failed: Promise<never>, work: Promise<T>): Promise<T> {
  // eslint-disable-next-line no-restricted-syntax
  return Promise.race([failed, work]);
}
