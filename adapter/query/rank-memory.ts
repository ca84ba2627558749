/** Where the memory of a rank is read from, and what is mapped there. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { QueryError } from '../../plugin-api/result';
import type { EpochImage } from '../images/epoch-image';
import { LiveImage } from '../images/live/live-image';
import type { Rank } from '../job/rank';
import { codeModulesOf, type CodeModule } from '../expressions/code-modules';

/**
 * The memory of a live process, or of a core file. Throws QueryError when it cannot be read. `mpis`: who decodes it, which tells what
 * of it will be read.
 */
export function memoryOf({ image, process, label, host }: Rank, mpis?: KnownMpis): EpochImage {
  if (image !== undefined) return image;
  if (process !== undefined) return new LiveImage(process, mpis && ((path) => mpis.isMpi(path)));
  throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${label} runs on ${host}: its memory cannot be reached from here`);
}

/** The files that code is mapped from. `image` is asked where neither a core file nor the rank's host tells. */
export async function mappedModules(rank: Rank, image: () => EpochImage): Promise<readonly CodeModule[]> {
  const { process, image: core } = rank;
  if (core !== undefined) return core.mapped();
  if (process !== undefined) return codeModulesOf(process);
  return image().modules();
}
