/** The way to the ranks of a batch system's job: its steps are known by it, and it carries an agent to their nodes. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import type { DoorPlace } from '../agent/door';
import type { Host } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import { addressTowards, networkAddresses } from '../hosts/own-addresses';
import { StartError } from '../job/start-error';
import { unwishful } from '../launchers/batch/batch-commands';
import { commandOnEach, isThisHost, openPorts, type StepsOfJob } from '../launchers/batch/batch-steps';
import { rootsOn } from '../launchers/batch/step-processes';
import { NoRanksError, ranksBelow, type RanksBelow } from '../launchers/launcher-tree';
import type { FinderStart } from './finders';
import { ifNone, type WayToRanks } from './way-to-ranks';

/** What can be done instead. */
function onlyFromInside({ system: { title }, steps, nodes }: StepsOfJob): StartError {
  return new StartError(
    `${title} starts nothing in a job from outside it: on ${nodes[0]}, the first node of job ${steps[0]!.job}, name its launcher (--launcher PID)`,
  );
}

export class WayBySteps implements WayToRanks {
  readonly hosts: readonly string[];

  /** `launcher`: of this machine, below which ranks may be that no step has. */
  constructor(
    private readonly found: StepsOfJob,
    private readonly known: KnownMpis,
    private readonly launcher: number | undefined,
  ) {
    this.hosts = found.nodes.filter((name) => !isThisHost(name));
  }

  async door(): Promise<DoorPlace> {
    if (this.hosts.length === 0) return { addresses: [] };
    const { system, env } = this.found;
    const found = await Promise.all(this.hosts.map((name) => addressTowards(name).catch(() => undefined)));
    // The names of nodes may be known to the batch system only.
    const towards = found.includes(undefined) ? networkAddresses() : found.flatMap((each) => each ?? []);
    return { addresses: [...new Set(towards)], ports: await openPorts(system, env) };
  }

  async here(host: Host): Promise<RanksBelow[]> {
    const below = this.launcher === undefined ? [] : [await ranksBelow(host, this.launcher, this.known).catch(ifNone)];
    const ofSteps = this.found.nodes.some(isThisHost) ? await this.on(host) : [];
    const [first] = below;
    if (first === undefined) return ofSteps;
    const other = ofSteps.map(({ ranks, dead }) => ({
      dead,
      ranks: ranks.filter((pid) => !first.ranks.includes(pid)),
    }));
    return [first, ...other];
  }

  async on(host: Host): Promise<RanksBelow[]> {
    const roots = await rootsOn(host, this.found);
    return Promise.all(
      roots.map(async ({ pid, step, members }) => {
        const below = await ranksBelow(host, pid, this.known, members).catch(ifNone);
        return step.isScript ? this.startedByMpi(host, below) : below;
      }),
    );
  }

  none(): StartError {
    const { steps, nodes } = this.found;
    return new NoRanksError(`step ${steps.map(({ id }) => id).join(', ')} has no MPI ranks on ${nodes.join(', ')}`);
  }

  async finders(): Promise<FinderStart> {
    const { hosts } = this;
    const { system, env } = this.found;
    const command = await commandOnEach(this.found, hosts);
    if (command === undefined) throw onlyFromInside(this.found);
    // A folder that every node has: it is not known which others they share.
    return { hosts, cwd: '/', command, env: unwishful(system, env) };
  }

  /** A batch script has itself the variables of a rank. */
  private async startedByMpi(host: Host, { ranks, dead }: RanksBelow): Promise<RanksBelow> {
    const names = this.known.all.flatMap(({ environment }) => environment?.rank ?? []);
    const isRank = await Promise.all(
      ranks.map(async (pid) => {
        const environment = await new HostProcess(host, pid).environment();
        return names.some((name) => environment.has(name));
      }),
    );
    return { ranks: ranks.filter((_, index) => isRank[index]), dead };
  }
}
