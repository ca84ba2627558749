/**
 * Requests of the message layer ucx. UCX makes them: the part that is Open MPI's lies in the area that UCX keeps for
 * its user, and the arguments of the call are in UCX's own part. Persistent requests are Open MPI's own and keep all
 * arguments of the call.
 */
import { counted } from '../../counted';
import { groupedBy } from '../../grouped-by';
import { readPointerArray } from '../../memory';
import { integer } from '../../mpi/integer';
import type { Known, RequestInfo, Unavailable } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { CorruptError, isUnavailable, known, QueryError, unavailable } from '../../result';
import type { StructValues } from '../../struct';
import { readMessage, readNotes, readReceive, readSend, type Receive, type TransferData } from '../ucx/index';
import { datatypeRef, datatypeSize } from './datatype';
import { worldRank } from './group';
import { memberObjects } from './group-members';
import { checkHandle, type Decoder, handleRef } from './handles';
import { liveComms } from './live-handles';
import { ucxOf } from './live-requests';
import { classSpec, commSpec, objectSpec, procSpec, type requestSpec, statusSpec, ucxPersistentSpec } from './specs';

type Request = StructValues<typeof requestSpec>;
type Comm = StructValues<typeof commSpec>;

/** The part of a RequestInfo that a transfer tells. */
export type Transfer = Pick<
  RequestInfo,
  | 'operation'
  | 'sendMode'
  | 'started'
  | 'peer'
  | 'peerWorldRank'
  | 'tag'
  | 'comm'
  | 'buffer'
  | 'count'
  | 'datatype'
  | 'bytes'
  | 'bytesDone'
> & { isInternal: boolean; isFreed?: boolean };

/** A tag of UCX: 24 bits of MPI's tag, with its sign; 20 bits of the sender's rank; 20 bits of the context. */
function partsOf(word: bigint): { tag: number; rank: number; context: number } {
  return {
    tag: Number(BigInt.asIntN(64, word) >> 40n),
    rank: Number((word >> 20n) & 0xfffffn),
    context: Number(word & 0xfffffn),
  };
}

/** The bits of a mask that are there unless the receive takes any source, any tag. */
const sourceBits = 0xfffffn << 20n;
const tagBits = 0x7fffffn << 40n;

/** A plain request. Throws where UCX's part of it is not known, or is not of this request. */
export async function plainTransfer(decoder: Decoder, request: Request): Promise<Transfer> {
  const ucx = await ucxOf(decoder);
  const isComplete = request.complete === 1n;
  const comm = await commAt(decoder, request.object);
  const { kind, isSynchronous, isReleased: isFreed } = await readNotes(ucx, request.address);
  if (kind === undefined) throw notThisRequest(isComplete);
  if (kind === 'send') {
    const send = await readSend(ucx, request.address);
    const { tag, context } = partsOf(send.tag);
    if (context !== contextOf(comm)) throw notThisRequest(isComplete);
    const mode = isSynchronous ? 'synchronous' : noMode;
    const described = await describedData(decoder, send.data);
    return {
      ...{ operation: 'send', sendMode: mode, ...startedOf(isComplete) },
      ...(await receiverOf(decoder, comm, send.endpoint)),
      ...{ tag, comm: await handleRef(decoder, 'comm', comm.address), ...described },
      bytesDone: isComplete ? described.bytes : inTransfer,
      ...{ isInternal: tag < 0, isFreed },
    };
  }
  const receive = await readReceive(ucx, request.address);
  if (partsOf(receive.tag).context !== contextOf(comm)) throw notThisRequest(isComplete);
  return {
    ...startedOf(isComplete),
    ...(await receiveOn(decoder, comm, receive)),
    bytesDone: isComplete ? await receivedBytes(decoder, request) : inTransfer,
    isFreed,
  };
}

async function receiveOn(decoder: Decoder, comm: Comm, { tag: word, tagMask, data }: Receive) {
  const { tag, rank } = partsOf(word);
  const isAnyTag = (tagMask & tagBits) === 0n;
  return {
    operation: 'receive' as const,
    ...(await senderOf(decoder, comm, (tagMask & sourceBits) === 0n ? undefined : rank)),
    tag: isAnyTag ? ('MPI_ANY_TAG' as const) : tag,
    comm: await handleRef(decoder, 'comm', comm.address),
    ...(await describedData(decoder, data)),
    isInternal: tag < 0 && !isAnyTag,
  };
}

/** What a thread in MPI_Recv waits for: only UCX knows it. Throws CorruptError when no communicator has its context. */
export async function blockingReceive(decoder: Decoder, address: bigint): Promise<Transfer> {
  const receive = await readReceive(await ucxOf(decoder), address);
  const { context } = partsOf(receive.tag);
  const comm = (await commsByContext(decoder)).get(context)?.[0];
  if (comm === undefined) throw new CorruptError(`no communicator has the context ${context} of a receive`);
  const { started } = startedOf(receive.isComplete);
  return { ...(await receiveOn(decoder, comm, receive)), started, bytesDone: inTransfer, isFreed: false };
}

/** Whose message a tag of UCX is: on which communicator, from which rank of it, and MPI's tag. */
export async function senderOfMessage(
  decoder: Decoder,
  word: bigint,
): Promise<{ comm: bigint | Unavailable; peer: number; tag: number }> {
  const { tag, rank, context } = partsOf(word);
  const comm = (await commsByContext(decoder)).get(context)?.[0]?.address;
  const none = unavailable('MPIDBG_ERR_NOT_FOUND', `no communicator has the context ${context} of the message`);
  return { comm: comm ?? none, peer: rank, tag };
}

/** mca_pml_base_send_mode_t. */
const modes: Partial<Record<number, NonNullable<RequestInfo['sendMode']>>> = {
  0: 'synchronous',
  2: 'buffered',
  3: 'ready',
  4: 'standard',
};
const persistentSend = 1;

export async function persistentTransfer(decoder: Decoder, request: Request): Promise<Transfer> {
  const call = await decoder.reader.read(ucxPersistentSpec, request.address);
  const comm = await commAt(decoder, request.object);
  const { tag, rank } = partsOf(call.tag);
  const isComplete = request.complete === 1n;
  const isActive = request.state !== 1;
  const bytes = await known(async () => integer(call.count * (await datatypeSize(decoder, call.datatype))));
  const common = {
    started: isActive ? startedOf(isComplete).started : false,
    comm: await handleRef(decoder, 'comm', comm.address),
    buffer: `0x${call.buffer.toString(16)}`,
    count: integer(call.count),
    datatype: await known(() => datatypeRef(decoder, call.datatype)),
    bytes,
  };
  if ((call.flags & persistentSend) !== 0)
    return {
      ...common,
      ...{ operation: 'send', sendMode: modes[call.mode] ?? noMode, tag, isInternal: tag < 0 },
      ...(await receiverOf(decoder, comm, call.endpoint)),
      bytesDone: !isActive ? 0 : isComplete ? bytes : inTransfer,
    };
  const anyTag = (call.mask & tagBits) === 0n;
  return {
    ...common,
    ...{ operation: 'receive', tag: anyTag ? 'MPI_ANY_TAG' : tag, isInternal: !anyTag && tag < 0 },
    ...(await senderOf(decoder, comm, (call.mask & sourceBits) === 0n ? undefined : rank)),
    bytesDone: !isActive ? 0 : isComplete ? await receivedBytes(decoder, request) : inTransfer,
  };
}

const noMode = unavailable(
  'MPIDBG_ERR_NOT_SUPPORTED',
  'UCX does not tell a ready or buffered send from a standard one',
);
const inTransfer = unavailable('MPIDBG_ERR_UNAVAILABLE', 'UCX does not record the progress of a transfer');

function startedOf(isComplete: boolean): { started: Known<boolean> } {
  return { started: isComplete || inTransfer };
}

/** UCX never keeps the arguments of a receive whose message had already arrived. */
function notThisRequest(isComplete: boolean): QueryError {
  if (isComplete)
    return new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the transfer has ended, and UCX keeps no record of it');
  return new CorruptError('the memory before the request is not a UCX transfer on its communicator');
}

async function commAt(decoder: Decoder, address: bigint): Promise<Comm> {
  await checkHandle(decoder, 'comm', address);
  return decoder.reader.read(commSpec, address);
}

function contextOf({ contextId, index }: Comm): number | undefined {
  return contextId ?? index;
}

const commsByContext = once(async (decoder: Decoder) => groupedBy(await liveComms(decoder), contextOf));

/** Packed by Open MPI itself: UCX then knows the datatype. */
async function describedData(
  decoder: Decoder,
  { buffer, bytes, form, context }: TransferData,
): Promise<Required<Pick<Transfer, 'buffer' | 'count' | 'datatype' | 'bytes'>>> {
  const facts = {
    buffer: buffer === undefined ? notContiguous : `0x${buffer.toString(16)}`,
    bytes: integer(bytes),
  };
  if (form !== 'generic' || context === undefined) return { ...facts, count: onlyBytes, datatype: onlyBytes };
  const datatype = await known(() => datatypeRef(decoder, context));
  const count = await known(async () => {
    const size = await datatypeSize(decoder, context);
    if (size === 0n || bytes % size !== 0n)
      throw new CorruptError(`${counted(bytes, 'byte')} cannot be a whole number of ${size}-byte elements`);
    return integer(bytes / size);
  });
  return { ...facts, count, datatype };
}

const onlyBytes = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'UCX is given only the bytes of a contiguous transfer');
const notContiguous = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'UCX was given no single buffer');

async function senderOf(
  decoder: Decoder,
  { remoteGroup }: Comm,
  rank: number | undefined,
): Promise<Pick<Transfer, 'peer' | 'peerWorldRank'>> {
  if (rank === undefined) return { peer: 'MPI_ANY_SOURCE' };
  return { peer: rank, peerWorldRank: await known(() => worldRank(decoder, remoteGroup, rank)) };
}

/** The object of a process holds the endpoints that lead to it, after the fields that all processes have. */
async function endpointsOf({ image, reader }: Decoder, proc: bigint): Promise<bigint[]> {
  const { sizeOf } = await reader.read(classSpec, (await reader.read(objectSpec, proc)).objClass);
  const start = await reader.sizeOf(procSpec);
  const count = (Number(sizeOf) - start) / 8;
  return readPointerArray(image, proc + BigInt(start), count, maxEndpoints, 'the endpoints of a process');
}

const maxEndpoints = 64;

/** The members of a group by their endpoints; the first of several that have one endpoint. */
const ranksByEndpoint = onceByKey(async (decoder: Decoder, group: bigint): Promise<ReadonlyMap<bigint, number>> => {
  const ranks = new Map<bigint, number>();
  for (const [rank, proc] of (await memberObjects(decoder, group)).entries()) {
    // A process that was never contacted has no object.
    const endpoints = proc % 2n === 0n ? await endpointsOf(decoder, proc) : [];
    for (const endpoint of endpoints) if (!ranks.has(endpoint)) ranks.set(endpoint, rank);
  }
  return ranks;
});

async function receiverOf(
  decoder: Decoder,
  { remoteGroup }: Comm,
  endpoint: bigint,
): Promise<Pick<Transfer, 'peer' | 'peerWorldRank'>> {
  const peer = await known(async () => {
    const rank = (await ranksByEndpoint(decoder, remoteGroup)).get(endpoint);
    if (rank !== undefined) return rank;
    throw new QueryError('MPIDBG_ERR_NOT_FOUND', 'no process of the communicator has this endpoint');
  });
  if (isUnavailable(peer)) return { peer, peerWorldRank: peer };
  return { peer, peerWorldRank: await known(() => worldRank(decoder, remoteGroup, peer)) };
}

async function receivedBytes(decoder: Decoder, { status }: Request): Promise<number | string> {
  return integer((await decoder.reader.read(statusSpec, status)).bytes);
}

/** The tag of a message that MPI_Mprobe took out of UCX's queue. */
export async function ucxMessageTag(decoder: Decoder, message: bigint): Promise<number> {
  return partsOf((await readMessage(await ucxOf(decoder), message)).tag).tag;
}
