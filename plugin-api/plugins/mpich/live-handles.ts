/** The live objects of each kind, from the pools. */
import type { HandleKind } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { QueryError, guard } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedHandles } from './constants';
import { madeOnly } from './half-made';
import { classNumber, liveObject, type Decoder, type PoolKind } from './handles';
import { objectsIn } from './liveness';
import { isMessage } from './request-kinds';
import { commSpec, requestSpec } from './specs';

type Comm = StructValues<typeof commSpec>;

interface LiveObject {
  handle: bigint;
  address: bigint;
}

/**
 * The C handles of all live objects, the predefined ones first, then those of the pool in the order of their places.
 * Throws QueryError with ERR_NOT_SUPPORTED for statuses.
 */
export async function liveHandles(decoder: Decoder, kind: Exclude<HandleKind, 'file'>): Promise<bigint[]> {
  if (kind === 'status') throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'a status is memory of the program');
  const objects = await madeOnly(decoder.objects, kind, await liveObjects(decoder, kind));
  const predefined = await predefinedObjects(decoder, kind);
  return [...new Set([...predefined, ...objects.map(({ handle }) => handle)])];
}

/**
 * mpi.h has constants that stand for nothing in some releases and builds: those without an object. Of operations MPICH
 * needs none, and of datatypes they may lie where they were not found.
 */
async function predefinedObjects(decoder: Decoder, kind: PoolKind): Promise<bigint[]> {
  const handles = predefinedHandles(kind);
  const areUnfound = kind === 'datatype' && !decoder.objects.builtins.has(classNumber(kind));
  if (kind === 'op' || areUnfound) return handles;
  const found = await Promise.all(handles.map((handle) => guard(() => liveObject(decoder, kind, handle))));
  return handles.filter((_, i) => found[i]!.ok || found[i]!.code !== 'MPIDBG_ERR_NOT_FOUND');
}

/** The live objects of the kind's pools. Throws FaultError, QueryError. */
export const liveObjects = onceByKey(findLiveObjects);

async function findLiveObjects(decoder: Decoder, kind: PoolKind): Promise<LiveObject[]> {
  const { pools, requestPools, reader } = decoder.objects;
  const number = classNumber(kind);
  const pool = pools.get(number);
  const ofKind = kind === 'request' || kind === 'message' ? requestPools : pool === undefined ? [] : [pool];
  const found: LiveObject[] = [];
  for (const each of ofKind)
    for (const { handle, address } of await objectsIn(decoder.objects, kind, each))
      found.push({ handle: BigInt(handle), address });
  if (kind !== 'message' && kind !== 'request') return found;
  // A message is an object of the same pools.
  const areMessages = await Promise.all(
    found.map(async ({ address }) => isMessage(await reader.read(requestSpec, address))),
  );
  return found.filter((_, i) => areMessages[i] === (kind === 'message'));
}

/** All communicators, the predefined ones first. Throws FaultError, QueryError. */
export const liveComms = once(async (decoder: Decoder): Promise<Comm[]> => {
  const { reader, process } = decoder.objects;
  const predefined = process === undefined ? [] : [process.commWorld, process.commSelf].filter((c) => c !== 0n);
  const made = (await liveObjects(decoder, 'comm')).map(({ address }) => address);
  return Promise.all([...predefined, ...made].map((address) => reader.read(commSpec, address)));
});
