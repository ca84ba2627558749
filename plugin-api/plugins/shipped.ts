/** The MPIs that mpidbg knows by itself. Without their decoders, which not everybody needs. */
import type { MpiFacts } from '../mpi/facts';
import { KnownMpis } from '../mpi/known-mpis';
import { facts as mpich } from './mpich/facts';
import { facts as openmpi } from './openmpi/facts';
import { schedulers } from './schedulers';

/** Those of third parties are asked first, so that a site's own plugin can take over a shipped one's library. */
export function knownMpis(thirdParty: readonly MpiFacts[]): KnownMpis {
  return new KnownMpis([...thirdParty, openmpi, mpich], schedulers);
}

export const shippedMpis = knownMpis([]);
