/** The MPI that a rank's program will load, before it has loaded any. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { ElfError } from '../elf/byte-source';
import { withFile, type OpenFile } from '../elf/distant-bytes';
import { elfOf } from '../elf/elf-cache';
import { unlessShort } from '../elf/shortage-error';
import { openHere } from '../hosts/local-host';
import type { EpochImage } from '../images/epoch-image';
import type { Rank } from '../job/rank';
import { findMpi } from '../launchers/mpi-of-program';

/** Its name, from the program's file; undefined when that does not show it. Rejects with QueryError. */
export async function neededMpi({ process }: Rank, image: EpochImage, mpis: KnownMpis): Promise<string | undefined> {
  const [program, environment] = [await programOf(image), await image.environment()];
  // The files of a core file's process are on this machine, too.
  const open: OpenFile = process === undefined ? openHere : (path) => process.openNamed(path);
  try {
    const cwd = await process?.workingDirectory().catch(unlessShort(undefined));
    const settings = { open, libraryPath: environment.get('LD_LIBRARY_PATH'), cwd };
    const elf = await withFile(program, open, elfOf);
    return (await findMpi(program, elf, settings, mpis)).mpi?.name;
  } catch (error) {
    if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

/** The executable's path; '' where it is unknown. */
export async function programOf(image: EpochImage): Promise<string> {
  return (await image.modules()).find(({ isExecutable }) => isExecutable)?.path ?? '';
}
