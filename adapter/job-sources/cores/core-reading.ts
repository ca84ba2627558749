/** Files that should be core files → those that can be read, and why the others cannot. */
import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { ElfError, IncompleteError } from '../../elf/byte-source';
import { localHost } from '../../hosts/local-host';
import { CoreImage, type CoreImageOptions } from '../../images/core/core-image';
import type { UnopenedCore } from '../../job/job';
import { compressionOf, unpackCore } from './core-compression';
import { unfinishedAmong, whatToDo, type Unfinished } from './core-writers';
import { StartError } from '../../job/start-error';

/** During long work: what is done now, and how much of it is done, in percent. */
export type OnProgress = (what: string, percentage?: number) => void;

export interface CoreReading {
  cores: readonly string[];
  program?: string;
  searchPath?: readonly string[];
  mpis: KnownMpis;
  /** A folder for compressed ones. */
  unpackInto: () => string;
  /** Aborted: everything is closed, and the promise rejects with the reason. */
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

export interface ReadCores {
  images: CoreImage[];
  refused: UnopenedCore[];
  unfinished: Unfinished;
}

/** More ranks than one session shows. */
const maxCores = 1024;
/** Opening a file takes 20 µs to 1 ms. */
const filesPerTurn = 50;

/** Rejects with StartError when there are more cores than a session takes. */
export async function readCores(options: CoreReading): Promise<ReadCores> {
  const images: CoreImage[] = [];
  const refused: UnopenedCore[] = [];
  const incomplete: string[] = [];
  const paths = [...new Set(options.cores)];
  try {
    for (const [index, path] of paths.entries()) {
      if (index % filesPerTurn === 0) {
        options.onProgress?.(`file ${index + 1} of ${paths.length}`, (100 * index) / paths.length);
        await nextTurn();
      }
      options.signal?.throwIfAborted();
      try {
        images.push(await open(path, index, options));
      } catch (error) {
        refused.push({ core: path, reason: refusal(error) });
        if (error instanceof IncompleteError) incomplete.push(path);
      }
      if (images.length > maxCores) throw new StartError(`more than ${maxCores} core files: name fewer`);
    }
    options.signal?.throwIfAborted();
    const unfinished = await unfinishedOf(images, incomplete);
    const told = refused.map(({ core, reason }) => {
      if (!incomplete.includes(core)) return { core, reason };
      if (unfinished.written.has(core))
        return { core, reason: `it is still being written: ${whatToDo(core, unfinished)}` };
      // Why a file is empty is told already.
      return { core, reason: sizeOf(core) === 0 ? reason : `${reason}; ${whatToDo(core, unfinished)}` };
    });
    return { images, refused: told, unfinished };
  } catch (error) {
    for (const image of images) image.close();
    throw error;
  }
}

async function open(path: string, index: number, options: CoreReading): Promise<CoreImage> {
  const { program, searchPath = [], mpis, signal } = options;
  if (statSync(path).isDirectory()) throw new ElfError('it is a folder: name the core files in it');
  const suffix = compressionOf(path);
  if (suffix !== undefined) options.onProgress?.(`unpacking ${path}`);
  const file =
    suffix === undefined ? path : await unpackCore(path, suffix, { folder: options.unpackInto(), index, signal });
  const own: CoreImageOptions = { searchPath, mpis, origin: path, ...(program === undefined ? {} : { program }) };
  const image = new CoreImage(file, own);
  await image.refuseOverwritten();
  return image;
}

/** What looks cut off may become longer. */
function unfinishedOf(images: readonly CoreImage[], incomplete: readonly string[]): Promise<Unfinished> {
  const short = images.filter(({ core, origin, path }) => core.missing > 0 && origin === path);
  return unfinishedAmong(localHost, [
    ...short.map(({ path, size }) => ({ path, size })),
    ...incomplete.flatMap((path) => {
      const size = sizeOf(path);
      return size === undefined ? [] : [{ path, size }];
    }),
  ]);
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

function refusal(error: unknown): string {
  if (error instanceof ElfError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'it cannot be read: ask its owner, or run chmod +r on it';
  if (code !== undefined) return (error as Error).message;
  throw error;
}
