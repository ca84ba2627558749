/**
 * The way to the ranks of a launcher that reaches other hosts by itself: its own kind of launcher is started once more, which carries an
 * agent to each. As the launcher reached them, so do we.
 */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { DoorPlace } from '../agent/door';
import type { Connection } from '../hosts/connections';
import type { Host } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { localHost } from '../hosts/local-host';
import { addressTowards } from '../hosts/own-addresses';
import type { Hub } from '../agent/hub';
import { StartError } from '../job/start-error';
import { findLauncher, forwardOptions, launcherEnvironment, launcherOptions } from '../launchers/launcher';
import { addressIn, connectionsFromElsewhere, daemonsOf } from '../launchers/launcher-hosts';
import { NoRanksError, ranksBelow, type RanksBelow } from '../launchers/launcher-tree';
import type { FinderStart } from './finders';
import { ifNone, type WayToRanks } from './way-to-ranks';

export async function wayByConnections(launcher: number, known: KnownMpis): Promise<WayToRanks> {
  return new WayByConnections(launcher, known, await connectionsFromElsewhere(localHost, launcher));
}

class WayByConnections implements WayToRanks {
  readonly hosts: readonly string[];

  constructor(
    private readonly launcher: number,
    private readonly known: KnownMpis,
    private readonly connections: readonly Connection[],
  ) {
    this.hosts = [...new Set(connections.map(({ remote }) => addressIn(remote)))];
  }

  async door(): Promise<DoorPlace> {
    const addresses = await Promise.all(this.hosts.map(addressTowards));
    return { addresses: [...new Set(addresses.flatMap((each) => each ?? []))] };
  }

  async here(host: Host): Promise<RanksBelow[]> {
    const below = ranksBelow(host, this.launcher, this.known);
    // Where all ranks are on other hosts there are none here.
    return [await (this.hosts.length === 0 ? below : below.catch(ifNone))];
  }

  async on(host: Host): Promise<RanksBelow[]> {
    const daemons = await daemonsOf(host, this.connections, this.known);
    return Promise.all(daemons.map((daemon) => ranksBelow(host, daemon, this.known).catch(ifNone)));
  }

  none(): StartError {
    return new NoRanksError(`process ${this.launcher} has no MPI ranks on ${this.hosts.join(', ')}`);
  }

  async finders(hub: Hub): Promise<FinderStart> {
    const { hosts, launcher: pid } = this;
    const running = new HostProcess(localHost, pid);
    const [name = '', ...args] = (await running.arguments()) ?? [];
    const env = Object.fromEntries(await running.environment());
    const cwd = await running.workingDirectory();
    const launcher = await findLauncher(name, cwd, env, this.known);
    const again = launcher.facts?.onePerHost?.(args, hosts);
    if (again === undefined) {
      throw new StartError(
        `ranks of process ${pid} (${name}) run on ${hosts.join(', ')}: mpidbg does not know how this launcher reaches other hosts`,
      );
    }
    const options = await launcherOptions(launcher, { ranks: hosts.length, userArgs: again });
    return {
      command: [launcher.command, ...options, ...again, ...forwardOptions(launcher, hub.forwarded)],
      ...{ cwd, hosts, env: { ...env, ...launcherEnvironment(launcher) } },
    };
  }
}
