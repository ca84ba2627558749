/** The thread level that MPI_Query_thread returns. */
import { readI32 } from '../../memory';
import { threadLevels, type ThreadLevel } from '../../mpi/thread-levels';
import { CorruptError, QueryError } from '../../result';
import type { Decoder } from './handles';

/** Throws QueryError where the library does not tell. */
export async function threadLevel({ image, library }: Decoder): Promise<ThreadLevel> {
  const symbol = await image.findSymbol('ompi_mpi_thread_provided', library.module);
  if (symbol === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `${library.fileName} has no ompi_mpi_thread_provided`);
  const number = await readI32(image, symbol.address);
  const level = threadLevels[number];
  if (level === undefined) throw new CorruptError(`ompi_mpi_thread_provided is ${number}, which is not plausible`);
  return level;
}
