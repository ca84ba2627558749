/** Receives, sends and messages that are pending: where the message layers ob1 and ucx keep them. */
import { boundedCount, readPointerArray } from '../../memory';
import { integer } from '../../mpi/integer';
import {
  type MessageCounters,
  type MessageQueues,
  type PendingMessage,
  pendingTransfer,
} from '../../mpi/message-queues';
import type { HandleRef, Unavailable } from '../../mpi/records';
import { CorruptError, guard, isUnavailable, known, QueryError } from '../../result';
import { unexpectedMessages as unexpectedInUcx } from '../ucx/index';
import { listOf } from './containers';
import { classNames, type Decoder, handleRef, tableItems } from './handles';
import {
  isBlockingReceive,
  liveRequests,
  maxProcesses,
  maxRequests,
  messageLayer,
  ob1CommOf,
  ucxOf,
  ucxReceives,
  ucxWorker,
} from './live-requests';
import { readRequest } from './request';
import {
  completionSpec,
  ob1SequenceExpectedSpec,
  ob1FragmentSpec,
  ob1SequenceSentSpec,
  ob1UnexpectedSpec,
  segmentSpec,
  transferStateSpec,
  ucxPersistentSpec,
} from './specs';
import { blockingReceive, senderOfMessage } from './ucx-requests';

/** Throws QueryError where the message layer is not known. */
export async function messageQueues(decoder: Decoder): Promise<MessageQueues> {
  const layer = await messageLayer(decoder);
  const read = layers[layer];
  if (read === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `the queues of the message layer ${layer} are not decoded`);
  return {
    posted: await guard(() => read.posted(decoder)),
    unexpected: await guard(() => read.unexpected(decoder)),
    sends: await guard(() => read.sends(decoder)),
    ...(layer === 'ob1' ? { counters: await guard(() => ob1Counters(decoder)) } : {}),
  };
}

type Queue = (decoder: Decoder) => Promise<PendingMessage[]>;

const layers: Readonly<Record<string, Readonly<Record<'posted' | 'unexpected' | 'sends', Queue>>>> = {
  ob1: {
    posted: (decoder) => ob1Transfers(decoder, 'receive'),
    unexpected: ob1Messages,
    sends: (decoder) => ob1Transfers(decoder, 'send'),
  },
  ucx: {
    posted: ucxPosted,
    unexpected: ucxMessages,
    sends: () =>
      Promise.reject(new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the message layer ucx has no list of its sends')),
  },
};

/** The lists of requests are in no particular order; ob1 numbers them. */
async function ob1Transfers(decoder: Decoder, operation: 'receive' | 'send'): Promise<PendingMessage[]> {
  const found: { message: PendingMessage; sequence: bigint }[] = [];
  for (const { handle, isActive } of (await liveRequests(decoder)).requests) {
    // A request that is still being made has no message yet.
    const info = isActive ? await guard(() => readRequest(decoder, handle)) : undefined;
    if (info?.ok !== true || info.value.operation !== operation) continue;
    const { isDone, sequence } = await decoder.reader.read(transferStateSpec, handle);
    const transfer = pendingTransfer({ ...info.value, complete: isDone !== 0 });
    if (transfer === undefined) continue;
    const { tag } = transfer;
    const facts = typeof tag === 'number' ? factsOfTag(tag) : { isInternal: false };
    const request = { kind: 'request' as const, handle: info.value.handle };
    found.push({ message: { ...transfer, request, ...facts }, sequence });
  }
  return found.sort((a, b) => Number(a.sequence - b.sequence)).map(({ message }) => message);
}

/** In UCX's own order. */
async function ucxPosted(decoder: Decoder): Promise<PendingMessage[]> {
  const found: PendingMessage[] = [];
  for (const handle of await ucxReceives(decoder)) {
    const receive = await blockingReceive(decoder, handle);
    const transfer = pendingTransfer({ ...receive, active: true, complete: false });
    if (transfer === undefined) continue;
    const request = await programsRequest(decoder, handle);
    const { isInternal } = receive;
    found.push({ ...transfer, isInternal, ...(request === undefined ? {} : { request }) });
  }
  return found;
}

/** The program's request for a receive of UCX; undefined for a blocking call. */
async function programsRequest(decoder: Decoder, handle: bigint): Promise<HandleRef | undefined> {
  if (await isBlockingReceive(decoder, handle)) return undefined;
  // A started persistent request has another one that works for it.
  const { data } = await decoder.reader.read(completionSpec, handle);
  const persistent = await guard(async () => (await classNames(decoder, data)).includes(ucxPersistentSpec.struct));
  const own = persistent.ok && persistent.value ? data : handle;
  const ref = await guard(() => handleRef(decoder, 'request', own));
  return ref.ok ? ref.value : undefined;
}

/** Tags of programs are not negative. */
function factsOfTag(tag: number): Pick<PendingMessage, 'isInternal' | 'collective'> {
  const collective = collectives[tag];
  return { isInternal: tag < 0, ...(collective === undefined ? {} : { collective }) };
}

async function ob1Messages(decoder: Decoder): Promise<PendingMessage[]> {
  const { reader } = decoder;
  const found: PendingMessage[] = [];
  for (const comm of await tableItems(decoder, 'comm')) {
    for (const { peer } of await ob1Peers(decoder, comm)) {
      const { unexpected } = await reader.read(ob1UnexpectedSpec, peer);
      for await (const fragment of listOf(reader, unexpected, maxRequests, 'the list of unexpected messages'))
        found.push(await ob1Message(decoder, comm, fragment));
    }
  }
  return found;
}

/** The first message from or to a peer creates its entry. */
async function ob1Peers(decoder: Decoder, comm: bigint): Promise<{ rank: number; peer: bigint }[]> {
  const queues = await ob1CommOf(decoder, comm);
  if (queues === undefined) return [];
  const { procs, procCount } = queues;
  const peers = await readPointerArray(decoder.image, procs, Number(procCount), maxProcesses, 'the number of peers');
  return peers.flatMap((peer, rank) => (peer === 0n ? [] : [{ rank, peer }]));
}

async function ob1Counters(decoder: Decoder): Promise<MessageCounters[]> {
  const found: MessageCounters[] = [];
  for (const handle of await tableItems(decoder, 'comm')) {
    const peers = await ob1Peers(decoder, handle);
    const comm = { kind: 'comm' as const, handle: `0x${handle.toString(16)}` };
    for (const { rank, peer } of peers) {
      const { expected } = await decoder.reader.read(ob1SequenceExpectedSpec, peer);
      const { sent } = await decoder.reader.read(ob1SequenceSentSpec, peer);
      found.push({ comm, peer: rank, sent, expected });
    }
  }
  return found;
}

/** MCA_PML_OB1_HDR_TYPE_*. Of the last two, only a header has arrived. */
const headerTypes = { match: 65, rendezvous: 66, get: 67 };
/** OMPI_PML_OB1_MATCH_HDR_LEN: of a whole message, counted with its data. */
const matchHeaderBytes = 14n;

/** MCA_BTL_DES_MAX_SEGMENTS. */
const maxSegments = 16;
const maxSegmentBytes = 4096;

async function ob1Message(decoder: Decoder, comm: bigint, address: bigint): Promise<PendingMessage> {
  if (!(await classNames(decoder, address)).includes(ob1FragmentSpec.struct))
    throw new CorruptError('an item of the list of unexpected messages is invalid');
  const { headerType, source, tag, announced, segmentCount, segments } = await decoder.reader.read(
    ob1FragmentSpec,
    address,
  );
  const bytes = await known(async () => {
    if (headerType === headerTypes.rendezvous || headerType === headerTypes.get) return integer(announced);
    if (headerType !== headerTypes.match) throw new CorruptError(`${headerType} is not the header of a message`);
    const count = boundedCount(Number(segmentCount), maxSegments, 'the segments of a message');
    const pieces = await decoder.reader.readArray(segmentSpec, segments, count, maxSegmentBytes);
    const total = pieces.reduce((sum, { length }) => sum + length, 0n);
    if (total < matchHeaderBytes) throw new CorruptError('an unexpected message is shorter than its header');
    return integer(total - matchHeaderBytes);
  });
  return { ...(await onComm(decoder, comm, tag)), peer: source, bytes };
}

async function ucxMessages(decoder: Decoder): Promise<PendingMessage[]> {
  const worker = await ucxWorker(decoder);
  if (worker === undefined) throw new CorruptError('the message layer ucx is selected and not loaded');
  const messages = await unexpectedInUcx(await ucxOf(decoder), worker);
  return Promise.all(
    messages.map(async ({ tag: word, bytes }) => {
      const { comm, peer, tag } = await senderOfMessage(decoder, word);
      return { ...(await onComm(decoder, comm, tag)), peer, bytes: integer(bytes) };
    }),
  );
}

async function onComm(decoder: Decoder, comm: bigint | Unavailable, tag: number) {
  return {
    comm: isUnavailable(comm) ? comm : await known(() => handleRef(decoder, 'comm', comm)),
    tag,
    ...factsOfTag(tag),
  };
}

/** MCA_COLL_BASE_TAG_*, the same in 4.0 to 6.0. Nonblocking collectives count down from below them. */
const collectives: Partial<Record<number, string>> = {
  [-10]: 'MPI_Allgather',
  [-11]: 'MPI_Allgatherv',
  [-12]: 'MPI_Allreduce',
  [-13]: 'MPI_Alltoall',
  [-14]: 'MPI_Alltoallv',
  [-15]: 'MPI_Alltoallw',
  [-16]: 'MPI_Barrier',
  [-17]: 'MPI_Bcast',
  [-18]: 'MPI_Exscan',
  [-19]: 'MPI_Gather',
  [-20]: 'MPI_Gatherv',
  [-21]: 'MPI_Reduce',
  [-22]: 'MPI_Reduce_scatter',
  [-23]: 'MPI_Reduce_scatter_block',
  [-24]: 'MPI_Scan',
  [-25]: 'MPI_Scatter',
  [-26]: 'MPI_Scatterv',
};
