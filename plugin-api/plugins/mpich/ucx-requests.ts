/** Plain sends and receives, and messages: all that is known about them while they are pending is in UCX's memory. */
import { groupedBy } from '../../grouped-by';
import { integer } from '../../mpi/integer';
import type { HandleRef, Integer, Known } from '../../mpi/records';
import { readPointer } from '../../memory';
import { once, onceByKey } from '../../once';
import { CorruptError, QueryError, isUnavailable, known, unavailable } from '../../result';
import {
  openUcx,
  postedReceives,
  readMessage,
  readReceive,
  readSend,
  type Receive,
  type TransferData,
  type Ucx,
} from '../ucx/index';
import { processOfEndpoint } from './endpoints';
import { hex, refTo, type Decoder } from './handles';
import { commRef, isInternalComm } from './internal-comms';
import { liveComms } from './live-objects';
import {
  commAt,
  dataOf,
  isCollective,
  isOfOneProcess,
  noMode,
  peerOf,
  peersOf,
  readDevice,
  selfArguments,
  selfMessage,
  type Arguments,
  type Comm,
  type Data,
  type DeviceRequest,
  type Peer,
  type Request,
} from './request-arguments';
import { requestKind } from './request-kinds';
import { datatypeSpec } from './specs';

/** The arguments of a message that a probe has taken out of UCX's queue. */
export async function messageArguments(
  decoder: Decoder,
  request: Request,
): Promise<{ comm: Known<HandleRef>; peer: Known<number>; tag: Known<number>; bytes: Known<Integer> }> {
  const itself = request.comm === 0n ? undefined : await commAt(decoder, request.comm);
  if (itself !== undefined && isOfOneProcess(itself)) return selfMessage(decoder, request, itself);
  const found = await known(async () => {
    const { tag, bytes } = await readMessage(await ucxOf(decoder), (await readDevice(decoder, request)).message);
    return { bytes: integer(bytes), ...tagParts(decoder, tag) };
  });
  const comm = await known(async () => {
    if (request.comm !== 0n) return refTo(decoder, 'comm', request.comm);
    if (isUnavailable(found)) throw new QueryError(found.code, found.reason);
    return commRef(decoder, await findComm(decoder, found.context, 'receiveContextId'));
  });
  if (isUnavailable(found)) return { comm, peer: found, tag: found, bytes: found };
  return { comm, peer: found.rank, tag: found.tag, bytes: found.bytes };
}

/** The arguments of a plain send or receive that is not complete; each item may be Unavailable. */
export async function plainArguments(decoder: Decoder, request: Request, isComplete: boolean): Promise<Arguments> {
  const kind = requestKind(request);
  const comm = request.comm === 0n ? undefined : await commAt(decoder, request.comm);
  if (comm !== undefined && isOfOneProcess(comm)) return selfArguments(decoder, request, comm);
  const mode = kind === 'send' ? { sendMode: noMode } : {};
  const commOf42 = comm === undefined ? {} : { comm: await commRef(decoder, comm) };
  if (isComplete) {
    const ended = unavailable('MPIDBG_ERR_UNAVAILABLE', 'the transfer has ended, and MPICH keeps no record of it');
    return {
      ...unknown(ended),
      ...mode,
      ...commOf42,
      ...(comm === undefined ? {} : { isInternal: await isInternalComm(decoder, comm) }),
    };
  }
  const found = await known(() =>
    kind === 'send' ? sendArguments(decoder, request) : receiveArguments(decoder, request),
  );
  if (isUnavailable(found)) {
    const isInternal = comm !== undefined && (await isInternalComm(decoder, comm)) ? { isInternal: true } : {};
    return { ...unknown(found), ...mode, ...commOf42, ...isInternal };
  }
  return { ...found, ...mode };
}

function unknown(reason: ReturnType<typeof unavailable>): Arguments {
  return {
    ...{ peer: reason, peerWorldRank: reason, tag: reason, comm: reason, buffer: reason },
    ...{ count: reason, datatype: reason, bytes: reason, bytesDone: reason },
  };
}

const notMovedYet = 0;
const inTransfer = unavailable('MPIDBG_ERR_UNAVAILABLE', 'the transfer is under way; UCX does not record its progress');

async function receiveArguments(decoder: Decoder, request: Request): Promise<Arguments> {
  const device = await readDevice(decoder, request);
  const ucx = await ucxOf(decoder);
  const receive = await readReceive(ucx, transferOf(device));
  if (receive.userData !== request.address) throw notThisRequest();
  const { context, tag } = tagParts(decoder, receive.tag);
  const comm = await commOfContext(decoder, request, context, 'receiveContextId');
  const { peer, anyTag } = wildcards(receive);
  return {
    ...(await peerOf(decoder, comm, peer)),
    tag: anyTag ? 'MPI_ANY_TAG' : tag,
    comm: isUnavailable(comm) ? comm : await commRef(decoder, comm),
    ...(await transferredData(decoder, device, receive.data)),
    bytesDone: await known(async () => ((await isPosted(ucx, receive)) ? notMovedYet : inTransfer)),
    isInternal: isCollective(context) || (!isUnavailable(comm) && (await isInternalComm(decoder, comm))),
  };
}

async function sendArguments(decoder: Decoder, request: Request): Promise<Arguments> {
  const device = await readDevice(decoder, request);
  const ucx = await ucxOf(decoder);
  const area = transferOf(device);
  const send = await readSend(ucx, area);
  if (send.userData !== request.address && (await readPointer(decoder.image, area)) !== request.address)
    throw notThisRequest();
  const { context, tag } = tagParts(decoder, send.tag);
  const comm = await commOfContext(decoder, request, context, 'contextId');
  const process = await known(() => processOfEndpoint(decoder, send.endpoint));
  return {
    ...(await receiverOf(decoder, comm, process)),
    tag,
    comm: isUnavailable(comm) ? comm : await commRef(decoder, comm),
    ...(await transferredData(decoder, device, send.data)),
    bytesDone: inTransfer,
    isInternal: isCollective(context) || (!isUnavailable(comm) && (await isInternalComm(decoder, comm))),
  };
}

function notThisRequest(): QueryError {
  return new CorruptError("UCX's request does not belong to this one: it is being created, or UCX does not carry it");
}

function transferOf({ transfer, transferOfState }: DeviceRequest): bigint {
  const address = transfer ?? transferOfState ?? 0n;
  if (address === 0n) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPICH has not passed it to UCX yet');
  return address;
}

export const ucxOf = once(({ image }: Decoder) => openUcx(image));

const posted = onceByKey(async (ucx: Ucx, worker: bigint): Promise<ReadonlySet<bigint>> => {
  return new Set((await postedReceives(ucx, worker)).map(({ address }) => address));
});

/** Whether the receive still waits for a message. */
async function isPosted(ucx: Ucx, receive: Receive): Promise<boolean> {
  return (await posted(ucx, receive.worker)).has(receive.address);
}

/** MPICH's tag word: context id in 16 bits, rank in 16, MPI's tag in the lower bits of 32. */
const contextShift = 48n;
const rankShift = 32n;
const sixteenBits = 0xffffn;
const sourceMask = sixteenBits << rankShift;
/** The bits that a wildcard clears at least. */
const lowTagMask = 0xffn;

/** A message's tag word, taken apart; `rank` is the sender's. */
export function tagParts(decoder: Decoder, word: bigint): { context: number; rank: number; tag: number } {
  const usable = BigInt(decoder.objects.process?.tagUb ?? 0x7fffffff);
  return {
    context: Number(word >> contextShift),
    rank: Number((word >> rankShift) & sixteenBits),
    tag: Number(word & usable),
  };
}

function wildcards({ tag, tagMask }: Receive): { peer: number | 'MPI_ANY_SOURCE'; anyTag: boolean } {
  return {
    peer: (tagMask & sourceMask) === 0n ? 'MPI_ANY_SOURCE' : Number((tag >> rankShift) & sixteenBits),
    anyTag: (tagMask & lowTagMask) === 0n,
  };
}

/** What a tag word of a send, of a receive has. */
type ContextId = 'contextId' | 'receiveContextId';

/** The communicator of a request, else the live one with this context. */
async function commOfContext(
  decoder: Decoder,
  request: Request,
  context: number,
  id: ContextId,
): Promise<Comm | ReturnType<typeof unavailable>> {
  return known(async () => {
    if (request.comm !== 0n) return commAt(decoder, request.comm);
    return findComm(decoder, context, id);
  });
}

/** Throws QueryError with ERR_NOT_FOUND: it was freed since. */
export async function findComm(decoder: Decoder, context: number, id: ContextId): Promise<Comm> {
  const wanted = context & ~1;
  const comm = (await commsByContext(decoder, id)).get(wanted)?.[0];
  if (comm !== undefined) return comm;
  throw new QueryError('MPIDBG_ERR_NOT_FOUND', `no live communicator has the context ${wanted}: it was freed since`);
}

const commsByContext = onceByKey(async (decoder: Decoder, id: ContextId) =>
  groupedBy(await liveComms(decoder), (comm) => comm[id]),
);

async function receiverOf(
  decoder: Decoder,
  comm: Comm | ReturnType<typeof unavailable>,
  process: number | ReturnType<typeof unavailable>,
): Promise<Peer> {
  if (isUnavailable(process)) return { peer: process, peerWorldRank: process };
  if (isUnavailable(comm)) return { peer: comm, peerWorldRank: process };
  const peer = await known(async () => {
    const rank = (await peersOf(decoder, comm)).indexOf(process);
    if (rank < 0) throw new CorruptError(`process ${process} does not belong to the communicator`);
    return rank;
  });
  return { peer, peerWorldRank: process };
}

const bytesOnly = unavailable(
  'MPIDBG_ERR_NOT_SUPPORTED',
  'MPICH passes data without holes to UCX as bytes, and does not keep their datatype',
);

/** What s.type says since 4.1: the data is unpacked from a buffer of the library, and `pack` says where to. */
const unpacks = 1;
const pack = { userBuffer: 8n, count: 16n, datatype: 24n };

async function transferredData(decoder: Decoder, device: DeviceRequest, data: TransferData): Promise<Data> {
  const { image } = decoder;
  const { transferForm, packed } = device;
  if (transferForm === unpacks && packed !== undefined) {
    const buffer = await readPointer(image, packed + pack.userBuffer);
    const count = await readPointer(image, packed + pack.count);
    const datatype = BigInt.asUintN(32, await readPointer(image, packed + pack.datatype));
    return dataOf(decoder, buffer, count, Number(datatype));
  }
  const bytes = integer(data.bytes);
  const buffer = data.buffer === undefined ? bytesOnly : hex(data.buffer);
  if (data.context === undefined) return { buffer, bytes, count: bytesOnly, datatype: bytesOnly };
  const { context } = data;
  const datatype = await known(() => refTo(decoder, 'datatype', context));
  const count = await known(async () => {
    const { size } = await decoder.objects.reader.read(datatypeSpec, context);
    if (size <= 0n || data.bytes % size !== 0n) throw new CorruptError('the bytes are not a whole number of elements');
    return integer(data.bytes / size);
  });
  return { buffer, bytes, count, datatype };
}
