/** The live objects of each kind, from the pools, and which of them refer to an object. */
import type { HandleKind, HandleRef } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { QueryError, guard } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedHandles } from './constants';
import { classNumber, liveObject, refTo, type Decoder, type PoolKind } from './handles';
import { objectsIn } from './liveness';
import { isMessage } from './request-kinds';
import { commSpec, requestSpec, sessionSpec, winSpec, type errhandlerSpec } from './specs';

type Comm = StructValues<typeof commSpec>;

interface LiveObject {
  handle: bigint;
  address: bigint;
}

/**
 * The C handles of all live objects, the predefined ones first, then those of the pool in the order of their places.
 * Throws QueryError with ERR_NOT_SUPPORTED for a kind that MPICH keeps in no pool.
 */
export async function liveHandles(decoder: Decoder, kind: HandleKind): Promise<bigint[]> {
  if (kind === 'status') throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'a status is memory of the program');
  if (kind === 'file') throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', noFileList);
  const objects = await liveObjects(decoder, kind);
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

export const noFileList = 'ROMIO, which is the MPI-IO of MPICH, keeps no list of open files';

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
  if (kind !== 'message') return found;
  const isOne = await Promise.all(found.map(async ({ address }) => isMessage(await reader.read(requestSpec, address))));
  return found.filter((_, i) => isOne[i]);
}

/** Which communicators of the library itself a context id tells: those of a node, of the nodes' roots, of a local group. */
const internalContext = 0b1110;

/**
 * Whether the library made this communicator for its own use: to work with another one, or with a window. That it works
 * with a file cannot be told.
 */
export async function isInternalComm(
  decoder: Decoder,
  { contextId, address }: Pick<Comm, 'contextId' | 'address'>,
): Promise<boolean> {
  return (contextId & internalContext) !== 0 || (await innerComms(decoder)).has(address);
}

const innerComms = once(async (decoder: Decoder): Promise<ReadonlySet<bigint>> => {
  const inner = new Set<bigint>();
  for (const { localComm, nodeComm, nodeRootsComm } of await liveComms(decoder))
    for (const each of [localComm, nodeComm, nodeRootsComm]) inner.add(each);
  const wins = await guard(() => liveObjects(decoder, 'win'));
  for (const { address } of wins.ok ? wins.value : [])
    inner.add((await decoder.objects.reader.read(winSpec, address)).comm);
  return inner;
});

/** All communicators, the predefined ones first. Throws FaultError, QueryError. */
export const liveComms = once(async (decoder: Decoder): Promise<Comm[]> => {
  const { reader, process } = decoder.objects;
  const predefined = process === undefined ? [] : [process.commWorld, process.commSelf].filter((c) => c !== 0n);
  const made = (await liveObjects(decoder, 'comm')).map(({ address }) => address);
  return Promise.all([...predefined, ...made].map((address) => reader.read(commSpec, address)));
});

/** The program's communicators that have a property, as references. */
async function commsWith(decoder: Decoder, has: (comm: Comm) => boolean): Promise<HandleRef[]> {
  const refs: HandleRef[] = [];
  for (const comm of await liveComms(decoder))
    if (has(comm) && !(await isInternalComm(decoder, comm))) refs.push(await refTo(decoder, 'comm', comm.address));
  return refs;
}

/** MPICH's number of the class of files, in error handlers. */
const fileNumber = 4;
const predefinedKind = 1;

/** What has this error handler. Throws QueryError where not all that could have it can be listed. */
export async function usersOfErrhandler(
  decoder: Decoder,
  { address, handle, kind }: StructValues<typeof errhandlerSpec>,
): Promise<HandleRef[]> {
  const isPredefined = handle >>> 30 === predefinedKind;
  if (kind === fileNumber || isPredefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `a file may have it, and ${noFileList}`);
  return [
    ...(await commsWith(decoder, ({ errhandler }) => errhandler === address)),
    ...(await usersOf(decoder, 'win', winSpec, ({ errhandler }) => errhandler === address)),
    ...(await usersOf(decoder, 'session', sessionSpec, ({ errhandler }) => errhandler === address)),
  ];
}

/**
 * Whether only communicators have this group: the program has no handle of it, or has freed it. While a window's epoch
 * has it too, it is not told from one that the program has.
 */
export async function isInternalGroup(decoder: Decoder, group: bigint, references: number): Promise<boolean> {
  const held = (await liveComms(decoder)).flatMap(({ localGroup, remoteGroup }) => [localGroup, remoteGroup]);
  return references <= held.filter((each) => each === group).length;
}

/** The communicators that have this group. */
export function usersOfGroup(decoder: Decoder, group: bigint): Promise<HandleRef[]> {
  return commsWith(decoder, ({ localGroup, remoteGroup }) => localGroup === group || remoteGroup === group);
}

async function usersOf<S extends typeof winSpec | typeof sessionSpec>(
  decoder: Decoder,
  kind: PoolKind,
  spec: S,
  uses: (object: StructValues<S>) => boolean,
): Promise<HandleRef[]> {
  const users: HandleRef[] = [];
  for (const { address } of await liveObjects(decoder, kind))
    if (uses(await decoder.objects.reader.read(spec, address))) users.push(await refTo(decoder, kind, address));
  return users;
}
