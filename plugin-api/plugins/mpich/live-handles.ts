/** The handles of all live objects of a kind. */
import type { HandleKind } from '../../mpi/records';
import { QueryError, guard } from '../../result';
import { predefinedHandles } from './constants';
import { isMadeSlowly, leftOutInDoubt, madeOnly } from './half-made';
import { classNumber, liveObject, type Decoder, type PoolKind } from './handles';
import { liveObjects } from './live-objects';
import { openFiles } from './open-files';

/**
 * The C handles of all live objects, the predefined ones first, then those of the pool in the order of their places.
 * Throws QueryError with ERR_NOT_SUPPORTED for statuses.
 */
export async function liveHandles(decoder: Decoder, kind: Exclude<HandleKind, 'file'>): Promise<bigint[]> {
  if (kind === 'status')
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'statuses belong to the program: MPI keeps no list of them');
  const objects = await madeOnly(decoder, kind, await liveObjects(decoder, kind));
  const predefined = await predefinedObjects(decoder, kind);
  return [...new Set([...predefined, ...objects.map(({ handle }) => handle)])];
}

/** Why liveHandles() may lack some. */
export async function unlistedHandles(decoder: Decoder, kind: HandleKind): Promise<readonly string[]> {
  if (kind === 'file') return [(await openFiles(decoder)).gap ?? []].flat();
  return isMadeSlowly(kind) ? leftOutInDoubt(decoder, kind, await liveObjects(decoder, kind)) : [];
}

/**
 * In some releases and builds, mpi.h has constants without an object, which stand for nothing. MPICH needs no objects
 * for operations, and those of datatypes may not have been found.
 */
async function predefinedObjects(decoder: Decoder, kind: PoolKind): Promise<bigint[]> {
  const handles = predefinedHandles(kind);
  const areUnfound = kind === 'datatype' && !decoder.objects.builtins.has(classNumber(kind));
  if (kind === 'op' || areUnfound) return handles;
  const found = await Promise.all(handles.map((handle) => guard(() => liveObject(decoder, kind, handle))));
  return handles.filter((_, i) => found[i]!.ok || found[i]!.code !== 'MPIDBG_ERR_NOT_FOUND');
}
