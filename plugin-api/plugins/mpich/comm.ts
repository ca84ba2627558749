/** MPI_Comm. */
import type { CommInfo, HandleRef, Known, Unavailable } from '../../mpi/records';
import { CorruptError, QueryError, isUnavailable, known, unavailable } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { predefinedAttributes, readAttributes, type Attributes } from './attributes';
import { predefinedName } from './constants';
import { errhandlerRef } from './errhandler';
import { localProcesses, remoteProcesses } from './group';
import { checkBits, decodeBits, fortranHandle, hex, liveComm, type Decoder } from './handles';
import { commSpec, objectSpec } from './specs';
import { readTopology, topologyKind } from './topology';

type Comm = StructValues<typeof commSpec>;
type Flag = CommInfo['flags'][number];
type Procs = Known<(number | null)[]>;

/** MPIR_Comm_kind_t. */
const intercomm = 1;
const groupNumber = 2;
const commWorld = 0x44000000n;

/** Throws what liveComm throws. Not for MPI_COMM_NULL, which is no communicator. */
export async function readComm(decoder: Decoder, handle: bigint): Promise<CommInfo> {
  const { reader, process } = decoder.objects;
  const comm = await reader.read(commSpec, await liveComm(decoder, handle));
  const worldSize = process?.size ?? 0;
  const localProcs = await known(() => localProcesses(reader, comm, worldSize));
  const remote = comm.kind === intercomm ? await readRemote(reader, comm, worldSize) : {};
  const attributes = await known(() => readAttributes(decoder, comm.attributes));
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name: comm.name,
    ...readFlags(comm, attributes, [localProcs, remote.remoteProcs ?? []]),
    rank: comm.rank,
    size: comm.localSize,
    localProcs,
    ...remote,
    ...(isUnavailable(attributes) || attributes.topology === undefined
      ? {}
      : await readTopology(reader, attributes.topology)),
    contextId: comm.contextId,
    group: await known(() => groupRef(reader, comm.localGroup)),
    errhandler: await known(() => errhandlerRef(decoder, comm.errhandler)),
    attributes: isUnavailable(attributes) ? attributes : ownAttributes(decoder, handle, attributes),
    ...listsToCome,
  };
}

/** What the bits of a predefined communicator's handle tell where no layout is known; all else is `nothing`. */
export function commWithoutLayout(handle: bigint, nothing: Unavailable): CommInfo {
  checkBits('comm', handle);
  const name = predefinedName('comm', handle);
  if (name === undefined) throw new QueryError(nothing.code, nothing.reason);
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name,
    flags: ['predefined'],
    unknownFlags: ['freedHandle'],
    rank: nothing,
    size: nothing,
    localProcs: nothing,
    contextId: nothing,
    group: nothing,
    errhandler: nothing,
    attributes: nothing,
    ...listsToCome,
  };
}

async function readRemote(
  reader: StructReader,
  comm: Comm,
  worldSize: number,
): Promise<Pick<CommInfo, 'remoteSize' | 'remoteProcs' | 'remoteGroup'>> {
  return {
    remoteSize: comm.remoteSize,
    remoteProcs: await known(() => remoteProcesses(reader, comm, worldSize)),
    remoteGroup: await known(() => groupRef(reader, comm.remoteGroup)),
  };
}

/** Which communicators of the library itself a context id tells: those of a node, of the nodes' roots, of a local group. */
const internalContext = 0b1110;

function readFlags(
  comm: Comm,
  attributes: Attributes | Unavailable,
  procs: Procs[],
): Pick<CommInfo, 'flags' | 'unknownFlags'> {
  const flags: Flag[] = [];
  const unknownFlags: Flag[] = [];
  const isPredefined = predefinedName('comm', BigInt(comm.handle)) !== undefined;
  if (isPredefined) flags.push('predefined');
  // The object does not say that MPI_Comm_free was called while an operation keeps it.
  else unknownFlags.push('freedHandle');
  if (isUnavailable(attributes)) unknownFlags.push('cartesian', 'graph', 'distGraph');
  else if (attributes.topology !== undefined) {
    flags.push(topologyFlags[topologyKind(attributes.topology) ?? 'graph']);
    unknownFlags.push('topoReordered');
  }
  if (comm.kind === intercomm) flags.push('intercomm');
  if (procs.some(isUnavailable)) unknownFlags.push('dynamic');
  else if (procs.flat().includes(null)) flags.push('dynamic');
  if ((comm.contextId & internalContext) !== 0) flags.push('internal');
  // Windows and files work on a duplicate that looks like the program's own.
  else if (!isPredefined) unknownFlags.push('internal');
  return unknownFlags.length === 0 ? { flags } : { flags, unknownFlags };
}

const topologyFlags = { cart: 'cartesian', graph: 'graph', distGraph: 'distGraph' } as const;

/** Throws CorruptError; QueryError with ERR_UNAVAILABLE where the library has not made the group. */
async function groupRef(reader: StructReader, address: bigint): Promise<HandleRef> {
  if (address === 0n)
    throw new QueryError(
      'MPIDBG_ERR_UNAVAILABLE',
      'MPICH makes the group when MPI_Comm_group first asks for it: not yet',
    );
  const handle = BigInt((await reader.read(objectSpec, address)).handle);
  if (decodeBits(handle).kindNumber !== groupNumber) throw new CorruptError(`there is no group at ${hex(address)}`);
  const name = predefinedName('group', handle);
  return { kind: 'group', handle: hex(handle), ...(name === undefined ? {} : { name }) };
}

function ownAttributes({ objects }: Decoder, handle: bigint, attributes: Attributes): Attributes['own'] {
  return handle === commWorld ? [...predefinedAttributes(objects), ...attributes.own] : attributes.own;
}

function notDecodedYet(what: string): Unavailable {
  return unavailable('MPIDBG_ERR_NOT_SUPPORTED', `mpidbg does not decode ${what} of MPICH yet`);
}

const listsToCome = {
  pendingRequests: notDecodedYet('requests'),
  derivedWindows: unavailable(
    'MPIDBG_ERR_NOT_SUPPORTED',
    'MPICH does not record which communicator a window was made from: it works on an unnamed duplicate',
  ),
  derivedFiles: notDecodedYet('files'),
};
