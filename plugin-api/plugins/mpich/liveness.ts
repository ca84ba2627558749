/**
 * Whether an object of a pool is live: one rule for single handles and for lists. A pool knows which of its objects
 * are free; the number of references to an object shows more, and is all there is while the library changes the list
 * of free objects.
 */
import type { HandleKind, Known } from '../../mpi/records';
import { onceByKey } from '../../once';
import { QueryError, isUnavailable, known } from '../../result';
import type { StructValues } from '../../struct';
import { freeObjects, slotsOf, type Objects, type Pool } from './containers';
import { objectSpec } from './specs';

type PooledObject = Pick<StructValues<typeof objectSpec>, 'address' | 'references'>;

/**
 * `changing`: the library is making or freeing it at this moment. `unreferenced`: free or changing; only the list of
 * free objects would show which.
 */
export type Life = 'live' | 'changing' | 'free' | 'unreferenced';

/** These live without being referenced. */
const uncounted: ReadonlySet<HandleKind> = new Set<HandleKind>(['info', 'win', 'session']);

/** `pool`: one that is initialised. Throws QueryError with ERR_UNAVAILABLE if it cannot be known at this moment. */
export async function lifeOf(objects: Objects, kind: HandleKind, pool: Pool, object: PooledObject): Promise<Life> {
  return lifeBy(await freeIn(objects, pool), kind, object);
}

/** The pool's objects that live, or are changing. Throws FaultError; QueryError with ERR_UNAVAILABLE as lifeOf does. */
export async function objectsIn(
  objects: Objects,
  kind: HandleKind,
  pool: Pool,
): Promise<StructValues<typeof objectSpec>[]> {
  if (!pool.isInitialized) return [];
  const free = await freeIn(objects, pool);
  const slots = await slotsOf(objects.reader.image, pool);
  const mayLive = isUnavailable(free) ? slots : slots.filter((address) => !free.has(address));
  const found = await Promise.all(mayLive.map((address) => objects.reader.read(objectSpec, address)));
  const mayBeUsed = (object: PooledObject) => ['live', 'changing'].includes(lifeBy(free, kind, object));
  return found.filter((object) => object.handle !== 0 && mayBeUsed(object));
}

function lifeBy(free: Known<ReadonlySet<bigint>>, kind: HandleKind, { address, references }: PooledObject): Life {
  const isCounted = !uncounted.has(kind);
  if (isUnavailable(free)) {
    if (!isCounted) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', free.reason);
    return references > 0 ? 'live' : 'unreferenced';
  }
  if (free.has(address)) return 'free';
  return isCounted && references <= 0 ? 'changing' : 'live';
}

/** The library may be in the middle of allocating or freeing an object. */
const inFlight = 1;

/**
 * The addresses of the pool's free objects; Unavailable while the list is cut, as it is for a few instructions of
 * MPI_Comm_free and the like: then it leads elsewhere, or its length is not what the pool has counted.
 */
export const freeIn = onceByKey((objects: Objects, pool: Pool) =>
  known(async () => {
    const free = await freeObjects(objects.reader, pool);
    const apart = pool.isDirectApart ? pool.directCount : 0;
    const taken = pool.directCount + pool.blockCount * pool.blockSize - apart - free.size;
    if (Math.abs(taken - pool.used) > inFlight)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPICH is changing its list of free objects right now');
    return free;
  }),
);
