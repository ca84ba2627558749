/** The running processes that a user names: by their pids, by their launcher, or by the number of a batch system's job. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { compareWorlds } from '../../plugin-api/mpi/worlds';
import { Hub } from '../agent/hub';
import { JobHosts } from '../agent/job-hosts';
import type { GdbHost, Host } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { localHost } from '../hosts/local-host';
import type { AbsentRank } from '../job/job';
import { stepsOf, stepsStartedBy } from '../launchers/batch/batch-steps';
import type { DeadProcess, RanksBelow } from '../launchers/launcher-tree';
import { namedPlaces, toldOf, type RankPlace, type ToldPlace } from '../launchers/rank-places';
import type { AttachTarget } from './attach';
import { Finders } from './finders';
import { wayByConnections } from './way-by-connections';
import { WayBySteps } from './way-by-steps';
import type { WayToRanks } from './way-to-ranks';

/** A launcher of this machine, or a batch system's job, "4711" or "4711.0". */
export type RunningJob = { readonly launcherPid: number } | { readonly job: string };

/** Processes that can be attached to, and what has to be ended when nobody needs them any more. */
export interface FoundRanks {
  targets: readonly AttachTarget[];
  dead: readonly AbsentRank[];
  end(): Promise<void>;
}

export interface FinderOptions {
  plugins: PluginRegistry;
  /** Given up when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Processes of this machine go on while this one is stopped by a signal: their gdb is lost then. */
  isForLook?: boolean | undefined;
}

/** Processes of this machine, once each. */
export async function targetsHere(
  pids: readonly number[],
  { plugins: { known }, isForLook }: FinderOptions,
): Promise<FoundRanks> {
  const hub = await Hub.listen(known);
  const { home } = new JobHosts(hub, isForLook);
  return { ...(await placed(await reachables(home, pids), [], known)), end: async () => hub.close() };
}

/** Processes of this machine, by their pids. */
export async function processesAt(pids: readonly number[], { known }: PluginRegistry): Promise<Placed<Host>> {
  return placed(await reachables(localHost, pids), [], known);
}

/** Processes of any hosts, of which each is told through its own. */
export async function placesOfProcesses<H extends Host>(
  found: readonly { host: H; pid: number }[],
  { known }: PluginRegistry,
): Promise<Placed<H>> {
  return placed(found, [], known);
}

/** What cannot be reached is told when it is attached to. */
function reachables<H extends Host>(host: H, pids: readonly number[]): Promise<{ host: H; pid: number }[]> {
  return Promise.all(
    [...new Set(pids)].map(async (pid) => ({ host, pid: (await new HostProcess(host, pid).reachable())?.pid ?? pid })),
  );
}

export interface Placed<H extends Host> {
  targets: readonly { host: H; pid: number; place: RankPlace }[];
  dead: readonly AbsentRank[];
}

/** Places the processes of all hosts together, so that worlds are told apart. */
async function placed<H extends Host>(
  found: readonly { host: H; pid: number }[],
  dead: readonly (DeadProcess & { host: Host })[],
  mpis: KnownMpis,
): Promise<Placed<H>> {
  const told = await Promise.all(found.map(({ host, pid }) => toldOf(new HostProcess(host, pid), mpis)));
  const numbered = withAbsentNumbers(dead, told);
  const places = namedPlaces([...told, ...numbered.map((each) => ({ ...each, worldSize: undefined }))]);
  return {
    targets: found
      .map((each, index) => ({ ...each, place: places[index]! }))
      .sort(({ place: a }, { place: b }) => compareWorlds(a.world, b.world) || compareNumbers(a, b)),
    dead: numbered.map(({ host }, index) => ({ ...places[found.length + index]!, host: host.name })),
  };
}

/** Unknown ones last. */
function compareNumbers({ number: a }: RankPlace, { number: b }: RankPlace): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

/** The one rank that is absent is the one that has ended. */
function withAbsentNumbers<T extends DeadProcess>(dead: readonly T[], told: readonly ToldPlace[]): T[] {
  const [first] = told;
  const isOneWorld = told.every(({ origin }) => origin?.key === first?.origin?.key);
  const there = new Set([...told, ...dead].map(({ number }) => number));
  const absent = Array.from({ length: first?.worldSize ?? 0 }, (_, rank) => rank).filter((rank) => !there.has(rank));
  const unknown = dead.filter(({ number }) => number === null);
  if (!isOneWorld || unknown.length !== 1 || absent.length !== 1) return [...dead];
  return dead.map((each) => (each.number === null ? { ...each, number: absent[0]!, origin: first?.origin } : each));
}

/** undefined: it runs on other hosts too. Rejects with StartError. */
export async function ranksOnlyHere(job: RunningJob, { known }: PluginRegistry): Promise<Placed<Host> | undefined> {
  const way = await wayTo(job, known);
  if (way.hosts.length > 0) return undefined;
  const found = await way.here(localHost);
  if (isNone(found)) throw way.none();
  return placed(
    found.flatMap(({ ranks }) => ranks.map((pid) => ({ host: localHost, pid }))),
    found.flatMap(({ dead }) => dead.map((each) => ({ ...each, host: localHost }))),
    known,
  );
}

/** A batch system knows where the ranks of its launchers are; these connect to nobody there, or to much else. */
async function wayTo(job: RunningJob, known: KnownMpis): Promise<WayToRanks> {
  if ('job' in job) return new WayBySteps(await stepsOf(job.job, known), known, undefined);
  const steps = await stepsStartedBy(job.launcherPid, known);
  return steps === undefined ? wayByConnections(job.launcherPid, known) : new WayBySteps(steps, known, job.launcherPid);
}

/** Rejects with StartError; nothing is left running then. */
export async function findRanks(job: RunningJob, options: FinderOptions): Promise<FoundRanks> {
  const reach = await JobReach.open(job, options);
  try {
    return { ...(await reach.find()), end: () => reach.end() };
  } catch (error) {
    await reach.end();
    throw error;
  }
}

/** Where the ranks of a running job can be found again and again, on any host. Rejects with StartError. */
export interface Reach {
  find(): Promise<Placed<GdbHost>>;
}

/** The hosts of a running job, with a finder on each other one, until `end`. */
export class JobReach implements Reach {
  private constructor(
    private readonly known: KnownMpis,
    private readonly way: WayToRanks,
    private readonly hub: Hub,
    private readonly home: GdbHost,
    private readonly finders: Finders | undefined,
    private readonly others: readonly GdbHost[],
  ) {}

  /** Rejects with StartError; nothing is left running then. */
  static async open(job: RunningJob, { plugins, signal, isForLook }: FinderOptions): Promise<JobReach> {
    const { known } = plugins;
    const way = await wayTo(job, known);
    const hub = await Hub.listen(known, { door: await way.door() });
    const hosts = new JobHosts(hub, isForLook);
    if (way.hosts.length === 0) return new JobReach(known, way, hub, hosts.home, undefined, []);
    let finders: Finders | undefined;
    try {
      finders = new Finders(hub, await way.finders(hub));
      const arrived = await finders.arrived(signal);
      hub.shutDoor();
      return new JobReach(
        known,
        way,
        hub,
        hosts.home,
        finders,
        arrived.map((peer) => hosts.of(peer)),
      );
    } catch (error) {
      hub.close();
      await finders?.ended;
      throw error;
    }
  }

  /** As they are now. Rejects with StartError. */
  async find(): Promise<Placed<GdbHost>> {
    const { way, home } = this;
    const here = await onHost(home, way.here(home));
    const others = await Promise.all(this.others.map((host) => onHost(host, way.on(host))));
    const found = [...here, ...others.flat()];
    if (isNone(found)) throw way.none();
    const targets = found.flatMap(({ host, ranks }) => ranks.map((pid) => ({ host, pid })));
    const dead = found.flatMap(({ host, dead: ended }) => ended.map((each) => ({ ...each, host })));
    return placed(targets, dead, this.known);
  }

  /** Waits until nothing of it is left. */
  async end(): Promise<void> {
    this.hub.close();
    await this.finders?.ended;
  }
}

async function onHost(
  host: GdbHost,
  finding: Promise<readonly RanksBelow[]>,
): Promise<(RanksBelow & { host: GdbHost })[]> {
  return (await finding).map((below) => ({ ...below, host }));
}

function isNone(found: readonly RanksBelow[]): boolean {
  return found.every(({ ranks, dead }) => ranks.length + dead.length === 0);
}
