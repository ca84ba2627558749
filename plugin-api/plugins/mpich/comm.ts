/** MPI_Comm. */
import type { CommInfo, Known, Unavailable } from '../../mpi/records';
import { isUnavailable, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { predefinedAttributes, readAttributes, type Attributes } from './attributes';
import { intercomm, predefinedName } from './constants';
import { errhandlerRef } from './errhandler';
import { groupRef, localProcesses, remoteProcesses } from './group';
import { checkCommMade } from './half-made';
import { fortranHandle, hex, liveObject, type Decoder } from './handles';
import { isInternalComm, servedBy } from './internal-comms';
import { filesOf, whyPerhapsOfFile } from './open-files';
import { pendingOnComm } from './live-requests';
import { believedName } from './names';
import { commSpec } from './specs';
import { readTopology, type ShownTopology } from './topology';

type Comm = StructValues<typeof commSpec>;
type Flag = CommInfo['flags'][number];
type Procs = Known<(number | null)[]>;

const commWorld = 0x44000000n;

/** Throws what liveObject throws. Not for MPI_COMM_NULL, which is not a communicator. */
export async function readComm(decoder: Decoder, handle: bigint): Promise<CommInfo> {
  const { reader, worldSize } = decoder.objects;
  const comm = await reader.read(commSpec, await liveObject(decoder, 'comm', handle));
  await checkCommMade(decoder, comm);
  const localProcs = await known(() => localProcesses(reader, comm, worldSize));
  const remote = comm.kind === intercomm ? await readRemote(decoder, comm) : {};
  const attributes = await known(() => readAttributes(decoder, comm.attributes));
  const topology = await readTopology(reader, isUnavailable(attributes) ? attributes : attributes.topology);
  return {
    handle: hex(handle),
    fortranHandle: fortranHandle(handle),
    name: believedName(decoder.objects, 'comm', comm.name),
    ...readFlags(
      comm,
      topology.kind,
      [localProcs, remote.remoteProcs ?? []],
      await known(() => isInternalComm(decoder, comm)),
      await whyPerhapsOfFile(decoder, comm),
    ),
    rank: comm.rank,
    size: comm.localSize,
    localProcs,
    ...remote,
    ...topology.fields,
    contextId: comm.contextId,
    group: await known(() => groupRef(decoder, comm.localGroup)),
    errhandler: await known(() => errhandlerRef(decoder, comm.errhandler)),
    attributes: ownAttributes(decoder, handle, attributes),
    pendingRequests: await known(() => pendingOnComm(decoder, handle)),
    derivedWindows: noWindows,
    derivedFiles: await known(() => filesOf(decoder, comm)),
    ...(await serviceOf(decoder, comm)),
  };
}

async function serviceOf(decoder: Decoder, comm: Comm): Promise<Pick<CommInfo, 'serves'>> {
  const serves = await known(() => servedBy(decoder, comm));
  return serves === undefined ? {} : { serves };
}

async function readRemote(
  decoder: Decoder,
  comm: Comm,
): Promise<Pick<CommInfo, 'remoteSize' | 'remoteProcs' | 'remoteGroup'>> {
  return {
    remoteSize: comm.remoteSize,
    remoteProcs: await known(() => remoteProcesses(decoder.objects.reader, comm, decoder.objects.worldSize)),
    remoteGroup: await known(() => groupRef(decoder, comm.remoteGroup)),
  };
}

function readFlags(
  comm: Comm,
  topology: ShownTopology['kind'],
  procs: Procs[],
  isInternal: Known<boolean>,
  whyPerhapsInternal: string | undefined,
): Pick<CommInfo, 'flags' | 'unknownFlags'> {
  const flags: Flag[] = [];
  const unknownFlags: Flag[] = [];
  const isPredefined = predefinedName('comm', BigInt(comm.handle)) !== undefined;
  if (isPredefined) flags.push('predefined');
  // The object does not show whether MPI_Comm_free was called while an operation keeps it.
  else unknownFlags.push('freedHandle');
  if (isUnavailable(topology)) unknownFlags.push('cartesian', 'graph', 'distGraph');
  else if (topology !== undefined) {
    flags.push(topologyFlags[topology]);
    unknownFlags.push('topoReordered');
  }
  if (comm.kind === intercomm) flags.push('intercomm');
  if (procs.some(isUnavailable)) unknownFlags.push('dynamic');
  else if (procs.flat().includes(null)) flags.push('dynamic');
  if (isInternal === true) flags.push('internal');
  else if (isUnavailable(isInternal) || whyPerhapsInternal !== undefined) unknownFlags.push('internal');
  return unknownFlags.length === 0 ? { flags } : { flags, unknownFlags };
}

const topologyFlags = { cart: 'cartesian', graph: 'graph', distGraph: 'distGraph' } as const;

function ownAttributes(
  { objects }: Decoder,
  handle: bigint,
  attributes: Attributes | Unavailable,
): CommInfo['attributes'] {
  const own = isUnavailable(attributes) ? attributes : attributes.own;
  return isUnavailable(own) || handle !== commWorld ? own : [...predefinedAttributes(objects), ...own];
}

const noWindows = unavailable(
  'MPIDBG_ERR_NOT_SUPPORTED',
  'MPICH does not record which communicator a window was made from: it works on an unnamed duplicate',
);
