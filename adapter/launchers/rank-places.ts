/** Which rank of which MPI_COMM_WORLD each process is: the one place that tells this of processes. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { basename } from 'node:path';
import type { Host } from '../hosts/host';
import { HostProcess } from '../hosts/host-process';
import type { RankIdentity } from '../job/rank';
import { WorldNames, type WorldOrigin } from '../../plugin-api/mpi/worlds';
import { rankOf } from './rank-of-environment';

/** `pid`: of the process; one whose first thread has ended is reached through another thread of it. */
export type RankPlace = Pick<RankIdentity, 'number' | 'worldSize' | 'world' | 'hasOtherWorlds'> & { pid: number };

/** In their order. */
export async function placesOf(processes: readonly HostProcess[], mpis: KnownMpis): Promise<RankPlace[]> {
  const told = await Promise.all(processes.map((process) => toldOf(process, mpis)));
  return namedPlaces(told);
}

/** A process, and what its launcher has told about it. */
export interface ToldPlace {
  pid: number;
  number: number | null;
  worldSize: number | undefined;
  origin: WorldOrigin | undefined;
}

export async function toldOf(process: HostProcess, mpis: KnownMpis): Promise<ToldPlace> {
  const [status, environment] = await Promise.all([process.status(), process.environment()]);
  const { number, worldSize, world, parentWorld } = rankOf(environment, mpis);
  const origin =
    world === undefined
      ? number === null
        ? undefined
        : await originAbove(process.host, status?.parent, mpis)
      : { key: world, parent: parentWorld };
  return { pid: status?.process ?? process.pid, number, worldSize, origin };
}

/** Where there is one world only, nobody needs its name. */
export function namedPlaces(told: readonly ToldPlace[], names = new WorldNames()): RankPlace[] {
  const worlds = names.add(told.map(({ origin }) => origin));
  const hasOtherWorlds = new Set(worlds).size > 1;
  return told.map(({ pid, number, worldSize }, index) => ({
    ...{ pid, number, worldSize },
    ...(hasOtherWorlds ? { world: worlds[index], hasOtherWorlds } : { world: undefined }),
  }));
}

/** Launchers that do not name the world in the environment start the ranks of each by another daemon. */
async function originAbove(host: Host, parent: number | undefined, mpis: KnownMpis): Promise<WorldOrigin | undefined> {
  for (let pid = parent ?? 0; pid > 1;) {
    const process = new HostProcess(host, pid);
    const [program = '', ...args] = (await process.arguments()) ?? [];
    const name = basename(program);
    const daemon = mpis.launchers.find(({ facts }) => facts.daemons?.includes(name));
    if (daemon !== undefined) return daemon.facts.worldOf?.(args);
    pid = (await process.status())?.parent ?? 0;
  }
  return undefined;
}
