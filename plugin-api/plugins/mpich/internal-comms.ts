/**
 * The communicators that MPICH made for its own use, and what each serves: a communicator has one for the processes of a
 * node, one for the nodes' roots, and an intercommunicator one for its local group; windows and files work on duplicates.
 */
import type { HandleRef } from '../../mpi/records';
import { once } from '../../once';
import { CorruptError, guard } from '../../result';
import type { StructValues } from '../../struct';
import { intercomm } from './constants';
import { hex, refTo, type Decoder } from './handles';
import { liveComms, liveObjects } from './live-objects';
import { openFiles } from './open-files';
import { winSpec, type commSpec } from './specs';

type Comm = Pick<StructValues<typeof commSpec>, 'contextId' | 'address'>;

/** The internal communicators that a context id identifies: those of a node, of the nodes' roots, of a local group. */
const internalContext = 0b1110;

/**
 * Whether the library made this communicator for its own use. If not all files are found, others may be internal, too.
 */
export async function isInternalComm(decoder: Decoder, { contextId, address }: Comm): Promise<boolean> {
  return (contextId & internalContext) !== 0 || (await users(decoder)).has(address);
}

/**
 * What the library made an internal communicator for: the program's object, also if another internal one lies in
 * between. undefined: the communicator is not internal. Throws CorruptError where nothing refers to one that is.
 */
export async function servedBy(decoder: Decoder, comm: Comm): Promise<HandleRef | undefined> {
  if (!(await isInternalComm(decoder, comm))) return undefined;
  const known = await users(decoder);
  const seen = new Set<bigint>();
  let user = known.get(comm.address);
  for (; user?.kind === 'comm' && known.has(user.address); user = known.get(user.address)) {
    if (seen.has(user.address)) break;
    seen.add(user.address);
  }
  if (user === undefined)
    throw new CorruptError(`no live communicator, window or file has the communicator at ${hex(comm.address)}`);
  const { kind, address } = user;
  return kind === 'file' ? { kind, handle: hex(address) } : refTo(decoder, kind, address);
}

/** The communicator with what it serves, where it is internal. */
export async function commRef(decoder: Decoder, comm: Comm): Promise<HandleRef> {
  const ref = await refTo(decoder, 'comm', comm.address);
  const serves = await guard(() => servedBy(decoder, comm));
  return serves.ok && serves.value !== undefined ? { ...ref, serves: serves.value } : ref;
}

interface User {
  kind: 'comm' | 'win' | 'file';
  address: bigint;
}

/** By the address of the internal communicator, its user. */
const users = once(async (decoder: Decoder): Promise<ReadonlyMap<bigint, User>> => {
  const { reader, process } = decoder.objects;
  const found = new Map<bigint, User>();
  for (const { address, kind, localComm, nodeComm, nodeRootsComm } of await liveComms(decoder)) {
    for (const each of [nodeComm, nodeRootsComm]) found.set(each, { kind: 'comm', address });
    // MPICH sets it only in intercommunicators: in others it may be left over from before.
    if (kind === intercomm) found.set(localComm, { kind: 'comm', address });
  }
  const wins = await guard(() => liveObjects(decoder, 'win'));
  for (const { address } of wins.ok ? wins.value : [])
    found.set((await reader.read(winSpec, address)).comm, { kind: 'win', address });
  const open = await guard(() => openFiles(decoder));
  for (const { comm, file, keptFor } of open.ok ? open.value.files : [])
    found.set(comm.address, { kind: 'file', address: keptFor ?? file.address });
  // None, and those that every program has.
  for (const address of [0n, process?.commWorld, process?.commSelf]) if (address !== undefined) found.delete(address);
  return found;
});
