/**
 * The ranks of a running launcher, on all its hosts. To the others its own kind of launcher is started once more, which carries
 * an agent to each: as the launcher reached them, so do we.
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { compareWorlds } from '../../plugin-api/mpi/worlds';
import { AgentError } from '../agent/agent-script';
import { Hub, type Peer } from '../agent/hub';
import { JobHosts } from '../agent/job-hosts';
import { superviseLauncher, type SupervisedLauncher } from '../agent/supervised-launcher';
import type { Connection } from '../hosts/connections';
import type { GdbHost, Host } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { localHost } from '../hosts/local-host';
import { addressTowards } from '../hosts/own-addresses';
import { withinTime } from '../hosts/time-limit';
import type { DeadRank } from '../job/job';
import { StartError, untilAborted } from '../job/start-error';
import { findLauncher, forwardOptions, launcherEnvironment, launcherOptions } from '../launchers/launcher';
import { addressIn, connectionsFromElsewhere, daemonsOf } from '../launchers/launcher-hosts';
import { ranksBelow, type DeadProcess, type RanksBelow } from '../launchers/launcher-tree';
import { namedPlaces, toldOf, type RankPlace, type ToldPlace } from '../launchers/rank-places';
import type { AttachTarget } from './attach';

/** Processes that can be attached to, and what has to be ended when nobody needs them any more. */
export interface FoundRanks {
  targets: readonly AttachTarget[];
  dead: readonly DeadRank[];
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

/** Of this machine, by their pids. */
export async function processesAt(pids: readonly number[], { known }: PluginRegistry): Promise<Placed<Host>> {
  return placed(await reachables(localHost, pids), [], known);
}

/** What cannot be reached is told when it is attached to. */
function reachables<H extends Host>(host: H, pids: readonly number[]): Promise<{ host: H; pid: number }[]> {
  return Promise.all(
    [...new Set(pids)].map(async (pid) => ({ host, pid: (await new HostProcess(host, pid).reachable())?.pid ?? pid })),
  );
}

export interface Placed<H extends Host> {
  targets: readonly { host: H; pid: number; place: RankPlace }[];
  dead: readonly DeadRank[];
}

/** Of all hosts, so that worlds are told apart. */
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
      .sort((a, b) => compareWorlds(a.place.world, b.place.world)),
    dead: numbered.map(({ host }, index) => ({ ...places[found.length + index]!, host: host.name })),
  };
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

/** undefined: the launcher has reached other hosts too. Rejects with StartError. */
export async function ranksOnlyHere(launcher: number, { known }: PluginRegistry): Promise<Placed<Host> | undefined> {
  const elsewhere = await connectionsFromElsewhere(localHost, launcher);
  if (elsewhere.length > 0) return undefined;
  const { ranks, dead } = await ranksBelow(localHost, launcher, known);
  return placed(
    ranks.map((pid) => ({ host: localHost, pid })),
    dead.map((each) => ({ ...each, host: localHost })),
    known,
  );
}

/** Rejects with StartError; nothing is left running then. */
export async function findRanks(launcher: number, { plugins, signal, isForLook }: FinderOptions): Promise<FoundRanks> {
  const { known } = plugins;
  const connections = await connectionsFromElsewhere(localHost, launcher);
  const elsewhere = [...new Set(connections.map(({ remote }) => addressIn(remote)))];
  const here = ranksBelow(localHost, launcher, known);
  // Where all ranks are on other hosts there are none here.
  const below = elsewhere.length === 0 ? await here : await here.catch(ifNone);
  const addresses = await Promise.all(elsewhere.map(addressTowards));
  const hub = await Hub.listen(known, { addresses: [...new Set(addresses.flatMap((each) => each ?? []))] });
  const hosts = new JobHosts(hub, isForLook);
  let finders: Finders | undefined;
  const end = async (): Promise<void> => {
    hub.close();
    await finders?.launcher.ended;
  };
  try {
    const found: (RanksBelow & { host: GdbHost })[] = [{ ...below, host: hosts.home }];
    if (elsewhere.length > 0) {
      const arrivals = arrivalsOf(hub, elsewhere.length);
      finders = await startFinders(hub, launcher, elsewhere, plugins);
      const limit = { milliseconds: maxFinding, late: notReached(elsewhere), failed: failureOf(finders) };
      const finding = withinTime(limit, () => arrivals);
      const arrived = await untilAborted(signal, finding);
      hub.shutDoor();
      const others = await Promise.all(arrived.map((peer) => ranksOn(hosts.of(peer), connections, plugins)));
      found.push(...others.flat());
    }
    const targets = found.flatMap(({ host, ranks }) => ranks.map((pid) => ({ host, pid })));
    const dead = found.flatMap(({ host, dead: ended }) => ended.map((each) => ({ ...each, host })));
    return { ...(await placed(targets, dead, known)), end };
  } catch (error) {
    await end();
    if (error instanceof AgentError) throw new StartError(error.message);
    throw error;
  }
}

/** Milliseconds: the launcher has been let onto these hosts before, so nothing is queued. */
const maxFinding = 60_000;

function notReached(hosts: readonly string[]): () => Error {
  return () =>
    new StartError(`the other hosts of the job (${hosts.join(', ')}) do not answer within ${maxFinding / 1000} s`);
}

function ifNone(error: unknown): RanksBelow {
  if (error instanceof StartError) return { ranks: [], dead: [] };
  throw error;
}

async function ranksOn(
  host: GdbHost,
  connections: readonly Connection[],
  { known }: PluginRegistry,
): Promise<(RanksBelow & { host: GdbHost })[]> {
  const daemons = await daemonsOf(host, connections, known);
  const found = await Promise.all(daemons.map((daemon) => ranksBelow(host, daemon, known).catch(ifNone)));
  return found.map((each) => ({ ...each, host }));
}

/** One of each host. */
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

interface Finders {
  launcher: SupervisedLauncher;
  /** All that the launcher and they have said. */
  said: () => string;
}

async function startFinders(
  hub: Hub,
  pid: number,
  hosts: readonly string[],
  { known }: PluginRegistry,
): Promise<Finders> {
  const running = new HostProcess(localHost, pid);
  const [name = '', ...args] = (await running.arguments()) ?? [];
  const env = Object.fromEntries(await running.environment());
  const cwd = await running.workingDirectory();
  const launcher = await findLauncher(name, cwd, env, known);
  const again = launcher.facts?.onePerHost?.(args, hosts);
  if (again === undefined) {
    throw new StartError(
      `ranks of process ${pid} (${name}) run on ${hosts.join(', ')}: mpidbg does not know how this launcher reaches other hosts`,
    );
  }
  const options = await launcherOptions(launcher, { ranks: hosts.length, userArgs: again });
  const forward = forwardOptions(launcher, hub.forwarded);
  let said = '';
  const supervised = superviseLauncher(hub, {
    command: [launcher.command, ...options, ...again, ...forward, ...hub.agentCommand(env), 'find'],
    cwd,
    env: { ...env, ...launcherEnvironment(launcher) },
    stdin: undefined,
    onOutput: (text) => (said = (said + text).slice(-4000)),
  });
  return { launcher: supervised, said: () => said };
}

async function failureOf({ launcher, said }: Finders): Promise<never> {
  const { notStarted } = await launcher.ended;
  const words = /mpidbg: (the debugger cannot be reached from .*)/.exec(said())?.[1] ?? notStarted ?? said().trim();
  throw new StartError(`the other hosts of the job cannot be reached: ${words === '' ? 'the launcher ended' : words}`);
}
