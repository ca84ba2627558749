/** Which rank of which MPI_COMM_WORLD each process is: the one place that tells this of processes. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { basename } from 'node:path';
import { HostProcess } from '../hosts/host-process';
import type { RankIdentity } from '../job/rank';
import { WorldNames, type WorldOrigin } from '../../plugin-api/mpi/worlds';
import { rankOf } from './rank-of-environment';
import { worldInHeapOf } from './world-in-heap';

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
  /** It was spawned, and nothing names its world (yet). */
  isUnplaced: boolean;
}

export async function toldOf(process: HostProcess, mpis: KnownMpis): Promise<ToldPlace> {
  const [status, environment] = await Promise.all([process.status(), process.environment()]);
  const { number, worldSize, world, parentWorld } = rankOf(environment, mpis);
  const isSpawned = mpis.variables('spawned').some((name) => environment.has(name));
  const origin =
    world === undefined
      ? number === null
        ? undefined
        : await originAbove(process, { parent: status?.parent, isSpawned }, mpis)
      : { key: world, parent: parentWorld };
  const isUnplaced = isSpawned && origin === undefined;
  return { pid: status?.process ?? process.pid, number, worldSize, origin, isUnplaced };
}

/** Where there is one world only, nobody needs its name. */
export function namedPlaces(told: readonly Omit<ToldPlace, 'isUnplaced'>[], names = new WorldNames()): RankPlace[] {
  const worlds = names.add(told.map(({ origin }) => origin));
  const hasOtherWorlds = new Set(worlds).size > 1;
  return told.map(({ pid, number, worldSize }, index) => ({
    ...{ pid, number, worldSize },
    ...(hasOtherWorlds ? { world: worlds[index], hasOtherWorlds } : { world: undefined }),
  }));
}

/** Launchers that do not name the world in the environment start the ranks of each by another daemon. */
async function originAbove(
  rank: HostProcess,
  { parent, isSpawned }: { parent: number | undefined; isSpawned: boolean },
  mpis: KnownMpis,
): Promise<WorldOrigin | undefined> {
  for (let pid = parent ?? 0; pid > 1;) {
    const process = new HostProcess(rank.host, pid);
    const [program = '', ...args] = (await process.arguments()) ?? [];
    const name = basename(program);
    const daemon = mpis.launchers.find(({ facts }) => facts.daemons?.includes(name));
    if (daemon === undefined) {
      pid = (await process.status())?.parent ?? 0;
      continue;
    }
    const ofDaemon = daemon.facts.worldOf?.(args);
    const text = daemon.mpi?.environment?.worldInHeap;
    if (!isSpawned || text === undefined) return ofDaemon;
    if (ofDaemon?.parent !== undefined) return daemon.facts.worldOf?.(args, { besides: await daemonsBeside(process) });
    const nameInHeap = await worldInHeapOf(rank, text);
    return nameInHeap === undefined ? undefined : daemon.facts.worldOf?.(args, { nameInHeap });
  }
  return undefined;
}

/** The arguments of what the launcher of a daemon has started on its host. */
async function daemonsBeside(daemon: HostProcess): Promise<string[][]> {
  const parent = (await daemon.status())?.parent ?? 0;
  const started = parent > 1 ? await new HostProcess(daemon.host, parent).children() : [];
  const words = await Promise.all(started.map((pid) => new HostProcess(daemon.host, pid).arguments()));
  return words.flatMap((each) => (each === undefined ? [] : [[...each.slice(1)]]));
}
