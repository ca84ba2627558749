/**
 * The arguments of point-to-point operations that MPICH itself keeps: those of persistent and partitioned requests,
 * and of messages that a process sends to itself. All others have been passed on to UCX.
 */
import { integer } from '../../mpi/integer';
import type { RequestInfo } from '../../mpi/records';
import { onceByKey } from '../../once';
import { isUnavailable, known, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { passedDatatype } from './constants';
import { intercomm } from './constants';
import { localProcesses, remoteProcesses } from './group';
import { hex, liveObject, namedRefOf, type Decoder } from './handles';
import { commRef } from './internal-comms';
import { requestKind } from './request-kinds';
import { commSpec, datatypeSpec, deviceRequestSpec, type requestSpec } from './specs';
import { sourceName, tagName } from './status';

export type Request = StructValues<typeof requestSpec>;
export type DeviceRequest = StructValues<typeof deviceRequestSpec>;
export type Comm = StructValues<typeof commSpec>;

export type Arguments = Pick<
  RequestInfo,
  'sendMode' | 'peer' | 'peerWorldRank' | 'tag' | 'comm' | 'buffer' | 'count' | 'datatype' | 'bytes' | 'bytesDone'
> & {
  /** Whether the arguments show that the library made the request for its own use; undefined: they show neither. */
  isInternal?: boolean;
};

export function readDevice({ objects }: Decoder, request: Request): Promise<DeviceRequest> {
  return objects.reader.read(deviceRequestSpec, request.address);
}

/** MPIDI_PTYPE_*: 1 is a standard or ready send, which MPICH does not distinguish. */
const sendModes: Readonly<Record<number, RequestInfo['sendMode']>> = { 2: 'buffered', 3: 'synchronous' };

export const noMode = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'MPICH does not record which kind of send this is');

export async function persistentArguments(decoder: Decoder, request: Request): Promise<Arguments> {
  const comm = await commAt(decoder, request.comm);
  const device = await readDevice(decoder, request);
  const mode =
    requestKind(request) === 'persistentSend' ? { sendMode: sendModes[device.persistentMode] ?? noMode } : {};
  return {
    ...mode,
    ...(await peerOf(decoder, comm, device.persistentPeer)),
    tag: tagName(decoder.library, device.persistentTag),
    comm: await commRef(decoder, comm),
    ...(await dataOf(decoder, device.persistentBuffer, device.persistentCount, device.persistentDatatype)),
  };
}

/** Since 5.0. */
const noPeer = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'this MPICH does not keep the peer of a partitioned receive');

/** The count of one partition times that of the partitions. */
export async function partitionedArguments(decoder: Decoder, request: Request): Promise<Arguments> {
  const isSend = requestKind(request) === 'partitionedSend';
  const device = await readDevice(decoder, request);
  const comm = await known(() => commAt(decoder, request.comm));
  const peer = isSend ? device.partDestination : device.partSource;
  const unknownTag = isSend ? 'MPICH sends the tag ahead and does not keep it' : 'MPICH does not keep it';
  return {
    ...(peer === undefined ? { peer: noPeer, peerWorldRank: noPeer } : await peerOf(decoder, comm, peer)),
    tag:
      isSend || device.partTag === undefined
        ? unavailable('MPIDBG_ERR_NOT_SUPPORTED', unknownTag)
        : tagName(decoder.library, device.partTag),
    comm: isUnavailable(comm) ? comm : await commRef(decoder, comm),
    ...(await dataOf(decoder, device.partBuffer, device.partCount * BigInt(request.partitions), device.partDatatype)),
  };
}

/** Whether messages on it never leave the process, and so the library: it has one member. */
export function isOfOneProcess({ remoteSize, kind }: Comm): boolean {
  return remoteSize === 1 && kind !== intercomm;
}

/**
 * The arguments of an operation of a process with itself, on a communicator of one process. No operation from or to MPI_PROC_NULL
 * is ever pending.
 */
export async function selfArguments(decoder: Decoder, request: Request, comm: Comm): Promise<Arguments> {
  const device = await readDevice(decoder, request);
  const isSend = requestKind(request) === 'send';
  return {
    ...(isSend ? { sendMode: noMode } : {}),
    ...(isSend ? await peerOf(decoder, comm, 0) : { peer: itselfOrAny, peerWorldRank: itselfOrAny }),
    tag: tagName(decoder.library, device.selfTag),
    comm: await commRef(decoder, comm),
    ...(await selfData(decoder, device)),
    isInternal: isCollective(device.selfContext),
  };
}

const itselfOrAny = unavailable(
  'MPIDBG_ERR_NOT_SUPPORTED',
  'on a communicator of one process, MPICH does not record whether a receive is from 0 or from MPI_ANY_SOURCE',
);

function selfData(decoder: Decoder, { selfBuffer, selfCount, selfDatatype }: DeviceRequest): Promise<Data> {
  return dataOf(decoder, selfBuffer, selfCount, selfDatatype);
}

/** A message on a communicator of one process: a probe has taken the send itself. */
export async function selfMessage(decoder: Decoder, request: Request, comm: Comm) {
  const { reader } = decoder.objects;
  const send = await reader.read(deviceRequestSpec, (await readDevice(decoder, request)).selfMessage);
  const { bytes } = await selfData(decoder, send);
  return { comm: await commRef(decoder, comm), peer: 0, tag: send.selfTag, bytes };
}

export function commAt({ objects }: Decoder, address: bigint): Promise<Comm> {
  return objects.reader.read(commSpec, address);
}

export type Peer = Pick<RequestInfo, 'peer' | 'peerWorldRank'>;

/** Bit 0 of a context id: collective operations' own messages. */
export function isCollective(context: number): boolean {
  return (context & 1) !== 0;
}

/** Ranks in MPI_COMM_WORLD of the group that a peer is a rank of. */
export const peersOf = onceByKey(async ({ objects }: Decoder, comm: Comm): Promise<(number | null)[]> => {
  const list = comm.kind === intercomm ? remoteProcesses : localProcesses;
  return list(objects.reader, comm, objects.worldSize);
});

export async function peerOf(
  decoder: Decoder,
  comm: Comm | ReturnType<typeof unavailable>,
  rank: number | 'MPI_ANY_SOURCE',
): Promise<Peer> {
  const peer = rank === 'MPI_ANY_SOURCE' ? rank : sourceName(decoder.library, rank);
  if (typeof peer !== 'number') return { peer };
  const peerWorldRank = isUnavailable(comm)
    ? comm
    : await known(async () => (await peersOf(decoder, comm))[peer] ?? null);
  return { peer, peerWorldRank };
}

export type Data = Required<Pick<RequestInfo, 'buffer' | 'count' | 'datatype' | 'bytes'>>;

export async function dataOf(decoder: Decoder, buffer: bigint, count: bigint, datatype: number): Promise<Data> {
  const handle = passedDatatype(BigInt(datatype));
  return {
    buffer: hex(buffer),
    count: integer(count),
    datatype: await namedRefOf(decoder, 'datatype', handle),
    bytes: await known(async () => {
      const address = await liveObject(decoder, 'datatype', handle);
      return integer((await decoder.objects.reader.read(datatypeSpec, address)).size * count);
    }),
  };
}
