/**
 * The ranks of a running launcher, on all its hosts. To the others its own kind of launcher is started once more, which carries
 * an agent to each: as the launcher reached them, so do we.
 */
import type { PluginRegistry } from '../../plugin-api/plugins/registry';
import { AgentError } from '../agent/agent-script';
import { Hub, type Peer } from '../agent/hub';
import { JobHosts } from '../agent/job-hosts';
import { superviseLauncher, type SupervisedLauncher } from '../agent/supervised-launcher';
import type { Connection } from '../hosts/connections';
import type { GdbHost } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { localHost } from '../hosts/local-host';
import { addressTowards } from '../hosts/own-addresses';
import { withinTime } from '../hosts/time-limit';
import { StartError, untilAborted } from '../job/start-error';
import { findLauncher, forwardOptions, launcherEnvironment, launcherOptions } from '../launchers/launcher';
import { addressIn, connectionsFromElsewhere, daemonsOf } from '../launchers/launcher-hosts';
import { ranksOfLauncher } from '../launchers/launcher-tree';
import type { AttachTarget } from './attach';

/** Processes that can be attached to, and what has to be ended when nobody needs them any more. */
export interface FoundRanks {
  targets: readonly AttachTarget[];
  end(): Promise<void>;
}

/** Processes of this machine, once each. */
export async function targetsHere(pids: readonly number[], { known }: PluginRegistry): Promise<FoundRanks> {
  const hub = await Hub.listen(known);
  const { home } = new JobHosts(hub);
  return { targets: [...new Set(pids)].map((pid) => ({ host: home, pid })), end: async () => hub.close() };
}

/** undefined: the launcher has reached other hosts too. Rejects with StartError. */
export async function ranksOnlyHere(launcher: number, { known }: PluginRegistry): Promise<number[] | undefined> {
  const elsewhere = await connectionsFromElsewhere(localHost, launcher);
  return elsewhere.length > 0 ? undefined : ranksOfLauncher(localHost, launcher, known);
}

/** Rejects with StartError; nothing is left running then. */
export async function findRanks(
  launcher: number,
  plugins: PluginRegistry,
  signal: AbortSignal | undefined,
): Promise<FoundRanks> {
  const { known } = plugins;
  const connections = await connectionsFromElsewhere(localHost, launcher);
  const elsewhere = [...new Set(connections.map(({ remote }) => addressIn(remote)))];
  const here = ranksOfLauncher(localHost, launcher, known);
  // Where all ranks are on other hosts there are none here.
  const pids = elsewhere.length === 0 ? await here : await here.catch(ifNone);
  const addresses = await Promise.all(elsewhere.map(addressTowards));
  const hub = await Hub.listen(known, { addresses: [...new Set(addresses.flatMap((each) => each ?? []))] });
  const hosts = new JobHosts(hub);
  let finders: Finders | undefined;
  const end = async (): Promise<void> => {
    hub.close();
    await finders?.launcher.ended;
  };
  try {
    const targets: AttachTarget[] = pids.map((pid) => ({ host: hosts.home, pid }));
    if (elsewhere.length > 0) {
      const arrivals = arrivalsOf(hub, elsewhere.length);
      finders = await startFinders(hub, launcher, elsewhere, plugins);
      const limit = { milliseconds: maxFinding, late: notReached(elsewhere), failed: failureOf(finders) };
      const finding = withinTime(limit, () => arrivals);
      const arrived = await untilAborted(signal, finding);
      hub.shutDoor();
      const found = await Promise.all(arrived.map((peer) => ranksOn(hosts.of(peer), connections, plugins)));
      targets.push(...found.flat());
    }
    return { targets, end };
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

function ifNone(error: unknown): number[] {
  if (error instanceof StartError) return [];
  throw error;
}

async function ranksOn(
  host: GdbHost,
  connections: readonly Connection[],
  { known }: PluginRegistry,
): Promise<AttachTarget[]> {
  const daemons = await daemonsOf(host, connections, known);
  const pids = await Promise.all(daemons.map((daemon) => ranksOfLauncher(host, daemon, known).catch(ifNone)));
  return pids.flat().map((pid) => ({ host, pid }));
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
  const forward = forwardOptions(launcher, Object.keys(hub.environment));
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
