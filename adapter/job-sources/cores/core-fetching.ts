/** Fetches missing programs and libraries of core files from debuginfod. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import type { CoreImage } from '../../images/core/core-image';
import type { FoundFile } from '../../images/core/core-files';
import type { OnProgress } from './core-reading';
import type { Debuginfod, DebuginfodFile } from './debuginfod';

export interface Fetching {
  images: readonly CoreImage[];
  /** Folders in which separate debug information is already looked for. */
  searchPath: readonly string[];
  /** Makes the folder of the session. */
  folder: () => string;
  mpis: KnownMpis;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

export interface Fetched {
  /** Folders of debug information by build-id, for gdb. */
  debugFolders: string[];
  /** One sentence each. */
  warnings: string[];
}

/** A system's own libraries are not looked into, but for MPI's. */
const systemFolder = /^\/(usr\/)?lib(32|64|x32)?\//;

/**
 * First the files themselves, without which there are no stacks; then the debug information of programs, of the users'
 * libraries and of MPI. Nothing where nobody is to be asked. Rejects when `signal` is aborted.
 */
export async function fetchMissing(debuginfod: Debuginfod | undefined, fetching: Fetching): Promise<Fetched> {
  if (debuginfod === undefined) return { debugFolders: [], warnings: [] };
  const { images } = fetching;
  const get = async (what: DebuginfodFile, { path, buildId }: FoundFile): Promise<string | undefined> => {
    const name = `${basename(path)} from debuginfod`;
    fetching.onProgress?.(name);
    return debuginfod.fetch(buildId!, what, {
      signal: fetching.signal,
      onBytes: (done, all) => fetching.onProgress?.(name, all === undefined ? undefined : (100 * done) / all),
    });
  };
  for (const file of filesOf(images, ({ here }) => here === undefined)) {
    const came = await get('executable', file);
    if (came === undefined) continue;
    for (const image of images) image.provide(file.buildId!, came);
  }
  const ofInterest = filesOf(images, ({ path, elf, buildId }) => {
    const isLookedInto = !systemFolder.test(path) || fetching.mpis.isMpi(path);
    return isLookedInto && elf?.hasDebugInformation === false && !hasOwnDebugFile(buildId!, fetching.searchPath);
  });
  let debugFolder: string | undefined;
  for (const file of ofInterest) {
    const came = await get('debuginfo', file);
    if (came === undefined) continue;
    debugFolder ??= join(fetching.folder(), 'debug');
    const folder = join(debugFolder, '.build-id', file.buildId!.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    symlinkSync(came, join(folder, `${file.buildId!.slice(2)}.debug`));
  }
  const failures = debuginfod.failures.map(
    ([server, why]) => `the debuginfod server ${server} could not be asked: ${why}`,
  );
  return { debugFolders: debugFolder === undefined ? [] : [debugFolder], warnings: failures };
}

/** Each once, in all images. */
function filesOf(images: readonly CoreImage[], accept: (file: FoundFile) => boolean): FoundFile[] {
  const found = new Map<string, FoundFile>();
  for (const image of images)
    for (const file of image.mappedFiles())
      if (file.buildId !== undefined && !found.has(file.buildId) && accept(file)) found.set(file.buildId, file);
  return [...found.values()];
}

function hasOwnDebugFile(buildId: string, searchPath: readonly string[]): boolean {
  const name = join('.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  return ['/usr/lib/debug', ...searchPath].some((folder) => existsSync(join(folder, name)));
}
