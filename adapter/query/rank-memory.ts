/** Where the memory of a rank is read from, and what is mapped there. */
import { hostname } from 'node:os';
import { QueryError } from '../../plugin-api/result';
import type { EpochImage } from '../images/epoch-image';
import { LiveImage } from '../images/live/live-image';
import type { Rank } from '../job/rank';
import { codeModulesOf, type CodeModule } from '../expressions/code-modules';

/** The memory of a live process of this host, or of a core file. Throws QueryError when it cannot be read. */
export function memoryOf(rank: Rank): EpochImage {
  const { pid, host, image } = rank;
  if (image !== undefined) return image;
  if (pid !== undefined && host === hostname()) return new LiveImage(pid);
  throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${rank.label} runs on ${host}: its memory is not in reach`);
}

/** The files that code is mapped from. `image` is asked where neither a core file nor this host tells. */
export async function mappedModules(rank: Rank, image: () => EpochImage): Promise<readonly CodeModule[]> {
  const { pid, host, state, image: core } = rank;
  if (core !== undefined) return core.mapped();
  if (state !== 'core' && pid !== undefined && host === hostname()) return codeModulesOf(pid);
  return image().modules();
}
