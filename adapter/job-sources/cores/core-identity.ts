/** Which rank of which job a core file is, from the core itself. */
import { CachedImage } from '../../images/cached-image';
import type { FoundFile } from '../../images/core/core-files';
import type { CoreImage } from '../../images/core/core-image';
import { lostLibraries } from '../../images/core/loaded-libraries';
import type { RankIdentity } from '../../job/rank';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { PluginRegistry } from '../../../plugin-api/plugins/registry';
import { guard } from '../../../plugin-api/result';
import { rankInName } from './core-file-name';
import { worldInHeap } from './core-world';
import { compareWorlds, WorldNames, type WorldOrigin } from '../../../plugin-api/mpi/worlds';
import { rankOf } from '../../launchers/rank-of-environment';

/** A core file that can be opened. */
export interface FoundCore {
  identity: RankIdentity & { image: CoreImage; core: string };
  /** As its launcher names its world. */
  origin: WorldOrigin | undefined;
  /** The program that wrote it, as a file of this machine; undefined where it is not here. */
  program: string | undefined;
  /** False: no MPI that mpidbg knows is in the process, and no launcher has told it a rank. */
  hasMpi: boolean;
  /** Its MPI library, where that is needed and not here. */
  absentMpi: FoundFile | undefined;
  /** Libraries of which nothing can be read. */
  lost: readonly FoundFile[];
}

type NumberedOrigin = (WorldOrigin & { place: { launcher: string; number: number } | undefined }) | undefined;
type IdentifiedCore = Omit<FoundCore, 'origin'> & { origin: NumberedOrigin };

/** Ascending ranks, those that are not known last. */
export async function identifyCores(images: readonly CoreImage[], plugins: PluginRegistry): Promise<FoundCore[]> {
  const cores = await Promise.all(images.map((image) => identify(image, plugins)));
  const origins = withParents(cores.map(({ origin }) => origin));
  const worlds = new WorldNames().add(origins);
  const hasOtherWorlds = new Set(worlds.filter((world) => world !== undefined)).size > 1;
  const named = cores.map((core, index) => {
    const identity = hasOtherWorlds ? { ...core.identity, world: worlds[index], hasOtherWorlds } : core.identity;
    return { ...core, identity, origin: origins[index] };
  });
  return named.sort(
    (a, b) =>
      compareWorlds(a.identity.world, b.identity.world) ||
      (a.identity.number ?? Infinity) - (b.identity.number ?? Infinity) ||
      a.identity.core.localeCompare(b.identity.core),
  );
}

/** A launcher that numbers its worlds says of each but the first that it was spawned: by a rank of the first, as far as it tells. */
function withParents(origins: readonly NumberedOrigin[]): (WorldOrigin | undefined)[] {
  return origins.map((origin) => {
    const { place } = origin ?? {};
    if (origin === undefined || place === undefined || place.number === 0) return origin;
    const firsts = origins.filter((each) => each?.place?.number === 0 && each.place.launcher === place.launcher);
    const [first, ...others] = new Set(firsts.map((each) => each!.key));
    return {
      key: origin.key,
      parent: others.length === 0 && first !== undefined ? first : `first of ${place.launcher}`,
    };
  });
}

async function identify(image: CoreImage, plugins: PluginRegistry): Promise<IdentifiedCore> {
  const environment = await image.environment();
  const told = rankOf(environment, plugins.known);
  const absentMpi = await image.absentMpi();
  const own = told.number === null ? await worldOfMpi(image, plugins, absentMpi !== undefined) : { hasMpi: true };
  const { process } = image.core;
  const number = told.number ?? own.number ?? null;
  const fromFileName = number === null && own.hasMpi ? rankInName(image.origin, process?.pid) : undefined;
  const worldSize = told.worldSize ?? own.worldSize;
  const launcher = plugins.known.environments.find(({ rank }) => rank.some((name) => environment.has(name)));
  const key = told.world ?? (launcher && worldInHeap(image, launcher));
  return {
    identity: {
      number: number ?? fromFileName ?? null,
      host: hostOf(environment, plugins.known),
      core: image.origin,
      image,
      ...(process === undefined ? {} : { pid: process.pid }),
      ...(worldSize === undefined ? {} : { worldSize }),
      ...(fromFileName === undefined ? {} : { isFromFileName: true }),
    },
    origin:
      key === undefined
        ? undefined
        : { key, parent: told.parentWorld, place: launcher?.worldInHeap?.launcherAndNumber(key) },
    program: image.program()?.here,
    hasMpi: own.hasMpi,
    absentMpi,
    lost: await lostLibraries(image),
  };
}

/** What MPI_COMM_WORLD itself tells, where the launcher told nothing. */
async function worldOfMpi(
  image: CoreImage,
  plugins: PluginRegistry,
  isAbsent: boolean,
): Promise<{ hasMpi: boolean; number?: number; worldSize?: number }> {
  let mpi: MpiProcess | undefined;
  const asked = await guard(async () => {
    mpi = await plugins.open(new CachedImage(image));
    const world = (await mpi?.constants())?.get('MPI_COMM_WORLD');
    return mpi === undefined || world?.kind !== 'handle' ? undefined : mpi.query('comm', world.handle);
  });
  const hasMpi = mpi !== undefined || !asked.ok || isAbsent;
  if (!asked.ok || asked.value?.ok !== true) return { hasMpi };
  const { rank, size } = asked.value.value;
  if (typeof rank !== 'number') return { hasMpi };
  return { hasMpi, number: rank, ...(typeof size === 'number' ? { worldSize: size } : {}) };
}

/** "" where nothing tells. */
function hostOf(environment: ReadonlyMap<string, string>, mpis: KnownMpis): string {
  // The last may be of the machine that the job was started from.
  const names = [...mpis.variables('host'), 'HOSTNAME'];
  return names.map((name) => environment.get(name)).find((host) => host !== undefined) ?? '';
}
