/** MPI_Comm. */
import { readText } from '../../memory';
import type { CommInfo, Unavailable } from '../../mpi/records';
import { CorruptError, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { readAttributes } from './attributes';
import { errhandlerRef } from './errhandler';
import { groupRef, groupSize, worldRanks } from './group';
import { checkHandle, checkSlot, type Decoder } from './handles';
import { commSpec } from './specs';
import { isReordered, readTopology } from './topology';

type Comm = StructValues<typeof commSpec>;
type Flag = CommInfo['flags'][number];

/** c_flags. There are bits for a freed communicator too, but no release sets them. */
const bits = {
  intercomm: 0x1,
  named: 0x2,
  predefined: 0x4,
  dynamic: 0x8,
  cartesian: 0x100,
  graph: 0x200,
  distGraph: 0x400,
  /** Known to the message layer: set when the communicator is complete. */
  complete: 0x1000,
};

/** Throws CorruptError when no live communicator lies there. Not for MPI_COMM_NULL, which is no communicator. */
export async function readComm(decoder: Decoder, handle: bigint): Promise<CommInfo> {
  await checkHandle(decoder, 'comm', handle);
  const comm = await decoder.reader.read(commSpec, handle);
  await checkSlot(decoder, 'comm', handle, comm.fortranHandle);
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle: comm.fortranHandle + (decoder.library.isStandardAbi ? firstAbiHandle : 0),
    name: await readName(decoder, comm),
    ...(await readFlags(decoder, comm)),
    rank: await known(() => ownRank(decoder, comm)),
    size: await known(() => groupSize(decoder, comm.localGroup)),
    localProcs: await known(() => worldRanks(decoder, comm.localGroup)),
    ...(await readRemote(decoder, comm)),
    ...(await readOwnTopology(decoder, comm)),
    contextId: contextId(comm),
    group: await known(() => groupRef(decoder, comm.localGroup)),
    errhandler: await known(() => errhandlerRef(decoder, comm.errhandler)),
    attributes: await known(() => readAttributes(decoder, comm.keyHash)),
    pendingRequests: notDecodedYet('requests'),
    derivedWindows: notDecodedYet('windows'),
    derivedFiles: notDecodedYet('files'),
  };
}

/** Fortran's numbers of the standard ABI are the library's own behind those that the standard took. */
const firstAbiHandle = 16385;

function has(comm: Comm, bit: keyof typeof bits): boolean {
  return (comm.flags & bits[bit]) !== 0;
}

/** MPI_MAX_OBJECT_NAME. */
const longestName = 64;

/** What MPI_Comm_get_name answers: the field also holds an internal text when the program gave no name. */
async function readName(decoder: Decoder, comm: Comm): Promise<string> {
  if (has(comm, 'named'))
    return typeof comm.name === 'string' ? comm.name : readText(decoder.image, comm.name, longestName);
  return (await decoder.constants.predefined('comm', comm.address))?.name ?? '';
}

async function ownRank(decoder: Decoder, { rank, localGroup }: Comm): Promise<number> {
  const size = await groupSize(decoder, localGroup);
  if (rank < 0 || rank >= size) throw new CorruptError(`the rank is ${rank} of ${size}, which is impossible`);
  return rank;
}

async function readFlags(decoder: Decoder, comm: Comm): Promise<Pick<CommInfo, 'flags' | 'unknownFlags'>> {
  const flags = (['predefined', 'cartesian', 'graph', 'distGraph', 'intercomm', 'dynamic'] as const).filter((bit) =>
    has(comm, bit),
  ) as Flag[];
  // Nothing marks a communicator of the library's own.
  const unknownFlags: Flag[] = has(comm, 'predefined') ? [] : ['internal'];
  const freed = isFreedHandle(comm);
  if (freed === true) flags.push('freedHandle');
  else if (freed === undefined) unknownFlags.push('freedHandle');
  if (topologyKind(comm) !== undefined) {
    const reordered = await known(() => isReordered(decoder, comm.topology));
    if (reordered === true) flags.push('topoReordered');
    else if (reordered !== false) unknownFlags.push('topoReordered');
  }
  return unknownFlags.length === 0 ? { flags } : { flags, unknownFlags };
}

/**
 * Whether MPI_Comm_free was called while operations keep the object. It takes the info object away, which every
 * communicator has in 4.x; since 5.0.0 many never have one.
 */
function isFreedHandle(comm: Comm): boolean | undefined {
  // One that is still being made has no info object yet.
  if (has(comm, 'predefined') || !has(comm, 'complete') || comm.info !== 0n) return false;
  return comm.contextId === undefined ? undefined : true;
}

async function readRemote(
  decoder: Decoder,
  comm: Comm,
): Promise<Pick<CommInfo, 'remoteSize' | 'remoteProcs' | 'remoteGroup'>> {
  if (!has(comm, 'intercomm')) return {};
  return {
    remoteSize: await known(() => groupSize(decoder, comm.remoteGroup)),
    remoteProcs: await known(() => worldRanks(decoder, comm.remoteGroup)),
    remoteGroup: await known(() => groupRef(decoder, comm.remoteGroup)),
  };
}

function topologyKind(comm: Comm): 'cart' | 'graph' | 'distGraph' | undefined {
  if (has(comm, 'cartesian')) return 'cart';
  if (has(comm, 'graph')) return 'graph';
  return has(comm, 'distGraph') ? 'distGraph' : undefined;
}

async function readOwnTopology(decoder: Decoder, comm: Comm): ReturnType<typeof readTopology> {
  const kind = topologyKind(comm);
  return kind === undefined ? {} : readTopology(decoder, kind, comm.topology);
}

/** Since 5.0.0 the number that all members agree on has 128 bits; the one here is that of the messages' headers. */
function contextId(comm: Comm): number | Unavailable {
  return comm.contextId ?? comm.index ?? unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'the layout has no context id');
}

function notDecodedYet(what: string): Unavailable {
  return unavailable('MPIDBG_ERR_NOT_SUPPORTED', `mpidbg does not decode ${what} of Open MPI yet`);
}
