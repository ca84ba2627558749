/** Receives that have ended with an error: a request that is given back keeps its status until it is used again. */
import type { FailedReceive } from '../../mpi/failed-receive';
import { unavailable } from '../../result';
import { integersOf } from './constants';
import { slotsOf } from './containers';
import { errorClass } from './errhandler';
import type { Decoder } from './handles';
import { requestKind } from './request-kinds';
import { objectSpec, requestSpec } from './specs';
import { readStatus } from './status';

/** What they were given has gone to UCX, and is gone with the transfer. */
export async function failedReceives(decoder: Decoder): Promise<FailedReceive[]> {
  const { image, library, objects } = decoder;
  const { reader, requestPools } = objects;
  const truncated = integersOf(library).of('MPI_ERR_TRUNCATE');
  const found: FailedReceive[] = [];
  for (const pool of requestPools.filter(({ isInitialized }) => isInitialized))
    for (const address of await slotsOf(image, pool)) {
      if ((await reader.read(objectSpec, address)).handle === 0) continue;
      const request = await reader.read(requestSpec, address);
      const { error, source, tag } = await readStatus(decoder, request.status);
      if (error === 0 || typeof source !== 'number' || typeof tag !== 'number') continue;
      const ofClass = errorClass(error);
      // The list of free objects lies over the kind; a message that does not fit tells it.
      const isReceive = request.references > 0 ? /^(receive|message)$/.test(requestKind(request)) : false;
      if (isReceive || ofClass === truncated) found.push({ errorClass: ofClass, source, tag, bytes: uncounted });
    }
  return found;
}

const uncounted = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'MPICH does not count a message that UCX has cut');
