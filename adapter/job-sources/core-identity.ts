/** Which rank of which job a core file is, out of the core itself. */
import { basename } from 'node:path';
import { ElfError } from '../images/byte-source';
import { CachedImage } from '../images/cached-image';
import { CoreImage, type CoreImageOptions } from '../images/core-image';
import type { UnopenedCore } from '../job/job';
import type { RankIdentity } from '../job/rank';
import { PluginRegistry } from '../../plugin-api/plugins/registry';
import { guard } from '../../plugin-api/result';
import { compressionOf, unpackCore } from './core-compression';
import { rankOf } from './process-info';
import { StartError } from './start-error';

/** A core file that can be opened. */
export interface FoundCore {
  path: string;
  identity: RankIdentity;
  /** The program that wrote it, as a file of this machine; undefined where it is not here. */
  program: string | undefined;
}

/** More ranks than one session shows. */
const mostCores = 1024;

/** Throws StartError when there are more cores than a session takes. */
export async function openCoreImages(options: {
  cores: readonly string[];
  program?: string;
  searchPath?: readonly string[];
  /** A folder for compressed ones. */
  unpackInto: () => string;
}): Promise<{ images: CoreImage[]; refused: UnopenedCore[] }> {
  const images: CoreImage[] = [];
  const refused: UnopenedCore[] = [];
  const { program, searchPath = [] } = options;
  for (const [index, path] of [...new Set(options.cores)].entries()) {
    try {
      const suffix = compressionOf(path);
      const file = suffix === undefined ? path : await unpackCore(path, suffix, options.unpackInto(), index);
      const own: CoreImageOptions = { searchPath, origin: path, ...(program === undefined ? {} : { program }) };
      images.push(new CoreImage(file, own));
    } catch (error) {
      refused.push({ core: path, reason: refusal(error) });
    }
    if (images.length > mostCores) {
      for (const image of images) image.close();
      throw new StartError(`these are more than ${mostCores} core files: name fewer of them`);
    }
  }
  return { images, refused };
}

/** The warnings are one sentence each. */
export async function identifyCores(
  images: readonly CoreImage[],
  program: string | undefined,
): Promise<{ cores: FoundCore[]; warnings: string[] }> {
  const cores: FoundCore[] = [];
  const warnings: string[] = [];
  for (const image of images) {
    cores.push({ path: image.path, identity: await identityOf(image), program: image.program()?.here });
    warnings.push(...warningsOf(image, program));
  }
  cores.sort(
    (a, b) => (a.identity.number ?? Infinity) - (b.identity.number ?? Infinity) || a.path.localeCompare(b.path),
  );
  return { cores, warnings: [...warnings, ...otherLibraries(images), ...severalOfOneRank(cores)] };
}

/** Libraries of which another version is here; once for all cores that had the same. */
function otherLibraries(images: readonly CoreImage[]): string[] {
  const told = images.flatMap((image) =>
    image
      .mappedFiles()
      .filter(({ path, otherBuildId }) => otherBuildId !== undefined && path !== image.programPath)
      .map(
        ({ path, buildId, otherBuildId }) =>
          `${path} here is another one (build-id ${otherBuildId}) than the one of the core files (${buildId}): what is` +
          ' told of its functions may be wrong, memory and the variables of the program are right; name the folder of' +
          ' the right one with --search-path or "searchPath"',
      ),
  );
  return [...new Set(told)];
}

/** Two cores may be of one process, or of two runs of the job: both are shown. */
function severalOfOneRank(cores: readonly FoundCore[]): string[] {
  const byRank = new Map<string, FoundCore[]>();
  for (const core of cores) {
    const { number, world } = core.identity;
    const key = `${number} ${world ?? ''}`;
    if (number !== null) byRank.set(key, [...(byRank.get(key) ?? []), core]);
  }
  return [...byRank.values()]
    .filter(({ length }) => length > 1)
    .map((same) => {
      const names = same.map(({ identity }) => basename(identity.core ?? '')).join(', ');
      return `rank ${same[0]!.identity.number} has ${same.length} cores (${names}): they may be of several runs`;
    });
}

async function identityOf(image: CoreImage): Promise<RankIdentity> {
  const environment = await image.environment();
  const told = rankOf(environment);
  const own = told.number === null ? await worldOfMpi(image) : undefined;
  const { process } = image.core;
  return {
    ...told,
    ...own,
    host: hostOf(environment),
    core: image.origin,
    image,
    ...(process === undefined ? {} : { pid: process.pid }),
  };
}

/** What MPI_COMM_WORLD itself tells, where the launcher told nothing. */
async function worldOfMpi(image: CoreImage): Promise<Pick<RankIdentity, 'number' | 'worldSize'> | undefined> {
  const asked = await guard(async () => {
    const mpi = await new PluginRegistry().open(new CachedImage(image));
    const world = (await mpi?.constants())?.get('MPI_COMM_WORLD');
    return mpi === undefined || world === undefined || !('handle' in world)
      ? undefined
      : mpi.query('comm', world.handle);
  });
  if (!asked.ok || asked.value?.ok !== true) return undefined;
  const { rank, size } = asked.value.value;
  if (typeof rank !== 'number') return undefined;
  return { number: rank, ...(typeof size === 'number' ? { worldSize: size } : {}) };
}

const hostVariables = ['PMIX_HOSTNAME', 'SLURMD_NODENAME', 'MPIR_CVAR_CH3_INTERFACE_HOSTNAME', 'HOSTNAME'];

/** "" where nothing tells. */
function hostOf(environment: ReadonlyMap<string, string>): string {
  return hostVariables.map((name) => environment.get(name)).find((host) => host !== undefined) ?? '';
}

function warningsOf(image: CoreImage, program: string | undefined): string[] {
  const name = basename(image.origin);
  const warnings: string[] = [];
  if (image.core.missing > 0)
    warnings.push(`${name} is truncated, ${image.core.missing} bytes are missing: what they held is unavailable`);
  const found = image.program();
  if (program !== undefined && image.isWrittenBy(program) === false)
    warnings.push(
      `${name} was not written by ${program} but by another build or program (${image.programPath ?? 'unknown'}):` +
        (found?.here === undefined ? ' its lines and variables are unknown' : ` ${found.here} is used for it`),
    );
  else if (found?.here === undefined)
    warnings.push(
      `${name}: the program ${image.programPath ?? image.core.process?.name ?? ''} that wrote it is not here:` +
        ' name it with "program", or its folder with "searchPath"',
    );
  return warnings;
}

function refusal(error: unknown): string {
  if (error instanceof ElfError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read: ask its owner, or run chmod +r on it';
  if (code === 'EISDIR') return 'it is a folder: name the core files in it';
  if (code !== undefined) return (error as Error).message;
  throw error;
}
