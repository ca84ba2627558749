/**
 * The hosts of a job that its launcher starts on several: before each program stands an agent of ours, which brings to its host what ranks are to
 * load, stays in reach there, and becomes the program. Where it does not reach us, the program runs as it would have.
 */
import { counted } from '../../../plugin-api/counted';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { AgentHost } from '../../agent/agent-host';
import { agentOrProgram } from '../../agent/agent-text';
import { Hub, type Peer } from '../../agent/hub';
import { JobHosts } from '../../agent/job-hosts';
import { isPid } from '../../agent/messages';
import type { GdbHost, Host } from '../../hosts/host';
import { wordsForAgent } from '../../hosts/own-environment';
import { HostPreloads } from '../../job-sources/host-preloads';
import { placesOfProcesses, type Placed } from '../../job-sources/job-finder';
import { findExecutable } from '../../hosts/executables';
import { forwardOptions } from '../../launchers/launcher';
import { launcherAt } from '../../launchers/launcher-files';
import { doorForOthers } from '../../launchers/other-hosts';
import { beforePrograms } from '../../launchers/program-words';
import type { DeathDoor } from './death-door';

/** What ranks get before they become their program. */
export interface RankEquipment {
  /** In this order. */
  libraries: readonly string[];
  /** `socket`: the one on their host at which they announce their end; undefined if nobody listens there. */
  variables: (socket: string | undefined) => Readonly<Record<string, string>>;
}

interface Rank {
  host: GdbHost;
  pid: number;
}

export class HostsOfRun {
  private readonly hosts: JobHosts;
  private readonly ranks: Rank[] = [];
  private readonly sockets = new Map<Host, Promise<string | undefined>>();
  private equipment: RankEquipment | undefined;
  private preloads: HostPreloads | undefined;
  private door: DeathDoor | undefined;
  private worldSize = 0;
  private readonly notes = new Set<string>();

  private constructor(
    private readonly hub: Hub,
    /** The launcher's, with our agents in it, and what it needs in its environment. */
    readonly command: readonly string[],
    readonly environment: Readonly<Record<string, string>>,
  ) {
    this.hosts = new JobHosts(hub, true);
    hub.on('peer', (peer) => {
      if (peer.hello.kind === 'watched') void this.equip(peer);
    });
  }

  /** Resolves with undefined if all ranks will run on this host. Rejects if that cannot be known, or if other hosts cannot reach us. */
  static async open(command: readonly string[], known: KnownMpis): Promise<HostsOfRun | undefined> {
    const [name = '', ...args] = command;
    const { env } = process;
    const cwd = process.cwd();
    const path = findExecutable(name, cwd, env.PATH);
    const facts = path === undefined ? undefined : (await launcherAt(path, known))?.facts;
    if (path === undefined || facts === undefined) return undefined;
    const launcher = { path, command: name, facts };
    const door = await doorForOthers(launcher, args, { cwd, env }, known);
    if (door.addresses.length === 0) return undefined;
    const hub = await Hub.listen(known, { door });
    const agent = [...wordsForAgent(env), ...agentOrProgram, 'watched'];
    const words = beforePrograms(agent, args, facts, { cwd, env });
    if (words.length === args.length) {
      hub.close();
      throw new Error(`mpidbg does not find the program in the words of ${name}`);
    }
    const forward = forwardOptions(launcher, hub.forwarded);
    return new HostsOfRun(hub, [name, ...forward, ...words], hub.environment);
  }

  /** Sets what the ranks that come from now on get. `door`: where they announce their end. */
  serve(equipment: RankEquipment, door: DeathDoor | undefined): void {
    this.door = door;
    this.preloads = new HostPreloads(equipment.libraries, (line) =>
      this.notes.add(line.trim().replace(/^mpidbg: /, '')),
    );
    this.equipment = equipment;
  }

  /** The ranks that have come and are not known to have ended. */
  find(plugins: PluginRegistry): Promise<Placed<GdbHost>> {
    return this.ranksThere().then((ranks) => placesOfProcesses(ranks, plugins));
  }

  /** What could not be watched or brought to ranks: one sentence each. */
  get lacks(): string[] {
    const missing = this.worldSize - this.ranks.length;
    const unwatched = 'how they die was not watched';
    const none = this.ranks.length === 0 ? [`no rank has reached mpidbg: ${unwatched}`] : [];
    const some = missing > 0 ? [`${counted(missing, 'rank')} could not reach mpidbg: ${unwatched}`] : [];
    return [...none, ...some, ...this.notes];
  }

  close(): void {
    this.hub.close();
  }

  private async ranksThere(): Promise<Rank[]> {
    const hosts = [...new Set(this.ranks.map(({ host }) => host))];
    const there = hosts.map(async (host) => {
      const own = this.ranks.filter((rank) => rank.host === host);
      // Those of a host that is lost have their reason when they are asked.
      const lives = await host.lives(own.map(({ pid }) => pid)).catch(() => undefined);
      return lives === undefined ? own : own.filter((_, index) => lives[index] !== undefined);
    });
    return (await Promise.all(there)).flat();
  }

  private async equip(peer: Peer): Promise<void> {
    const { pid = '', size = '' } = peer.hello.fields;
    if (!isPid(pid)) return peer.close();
    const host = this.hosts.of(peer);
    this.ranks.push({ host, pid: Number(pid) });
    if (/^\d{1,7}$/.test(size)) this.worldSize = Math.max(this.worldSize, Number(size));
    if (this.ranks.length === this.worldSize) this.hub.shutDoor();
    const { equipment } = this;
    const preload = (await this.preloads?.of(host)) ?? [];
    const variables = preload.length === 0 ? {} : (equipment?.variables(await this.socketOn(host)) ?? {});
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    peer.send('go', { ...(preload.length > 0 && { preload: preload.join(':') }), variables: lines.join('\n') });
  }

  private socketOn(host: GdbHost): Promise<string | undefined> {
    let socket = this.sockets.get(host);
    if (socket === undefined) this.sockets.set(host, (socket = this.listenOn(host)));
    return socket;
  }

  private async listenOn(host: GdbHost): Promise<string | undefined> {
    const { door } = this;
    if (door === undefined || !(host instanceof AgentHost)) return door?.path;
    try {
      let socket = '';
      const name = await host.listen((visitor) => door.receive(visitor, { host, socket }));
      // As the abstract namespace is written.
      return (socket = name.replace('\0', '@'));
    } catch (error) {
      this.notes.add(`how ranks on ${host.name} die is not watched: ${(error as Error).message}`);
      return undefined;
    }
  }
}
