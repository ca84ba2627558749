/** Receives, sends and messages that are pending: in the pools of requests, and in UCX's queues. */
import { integer } from '../../mpi/integer';
import { type MessageQueues, type PendingMessage, pendingTransfer } from '../../mpi/message-queues';
import type { RequestInfo } from '../../mpi/records';
import type { StructValues } from '../../struct';
import { once } from '../../once';
import { guard, isUnavailable, known, QueryError, success } from '../../result';
import { isWorkerOf, unexpectedMessages } from '../ucx/index';
import type { DataSegment } from './containers';
import type { Decoder } from './handles';
import { commRef, isInternalComm } from './internal-comms';
import { liveObjects } from './live-objects';
import { requestAt } from './request';
import { commAt, isCollective, isOfOneProcess } from './request-arguments';
import { requestKind } from './request-kinds';
import { requestSpec } from './specs';
import { findComm, plainArguments, tagParts, ucxOf } from './ucx-requests';

/** Throws QueryError where the requests cannot be read. */
export async function messageQueues(decoder: Decoder): Promise<MessageQueues> {
  const pending = await pendingTransfers(decoder);
  const transfers = (operation: Transfer['operation']): PendingMessage[] =>
    pending.flatMap(({ operation: own, message }) => (own === operation ? [message] : []));
  return {
    posted: success(transfers('receive')),
    unexpected: await guard(async () => [...(await messagesInUcx(decoder)), ...toItself(pending)]),
    sends: success(transfers('send')),
  };
}

interface Transfer {
  operation: RequestInfo['operation'];
  message: PendingMessage;
  /** It never leaves the process. */
  isToItself: boolean;
}

async function pendingTransfers(decoder: Decoder): Promise<Transfer[]> {
  const { reader } = decoder.objects;
  const found: Transfer[] = [];
  const requests = await liveObjects(decoder, 'request');
  const read = await Promise.all(requests.map(({ address }) => reader.read(requestSpec, address)));
  // Behind a started persistent request, another one does the work.
  const behind = new Set(
    read.filter((request) => requestKind(request).startsWith('persistent')).map(({ realRequest }) => realRequest),
  );
  for (const request of read) {
    if (behind.has(request.address)) continue;
    const info = await requestAt(decoder, request.address);
    const transfer = pendingTransfer(info);
    if (transfer === undefined) continue;
    const own = { kind: 'request' as const, handle: info.handle };
    const message = { ...transfer, request: own, isInternal: await isInternalTransfer(decoder, request) };
    const isToItself = request.comm !== 0n && isOfOneProcess(await commAt(decoder, request.comm));
    found.push({ operation: info.operation, message, isToItself });
  }
  return found;
}

/** A request of the library's own may carry out what the program passed to a call: what counts is the message. */
async function isInternalTransfer(decoder: Decoder, request: StructValues<typeof requestSpec>): Promise<boolean> {
  if (requestKind(request).startsWith('persistent')) return false;
  const transfer = await known(() => plainArguments(decoder, request, false));
  return !isUnavailable(transfer) && transfer.isInternal === true;
}

async function messagesInUcx(decoder: Decoder): Promise<PendingMessage[]> {
  const ucx = await ucxOf(decoder);
  const found = await Promise.all((await ucxWorkers(decoder)).map((worker) => unexpectedMessages(ucx, worker)));
  return Promise.all(found.flat().map(({ tag, bytes }) => messageOf(decoder, tag, bytes)));
}

/** On a communicator of one process a send waits in the library until it is received. */
function toItself(pending: readonly Transfer[]): PendingMessage[] {
  return pending
    .filter(({ operation, isToItself }) => operation === 'send' && isToItself)
    .map(({ message: { request: _request, ...message } }) => message);
}

async function messageOf(decoder: Decoder, word: bigint, bytes: bigint): Promise<PendingMessage> {
  const { context, rank, tag } = tagParts(decoder, word);
  const comm = await known(() => findComm(decoder, context, 'receiveContextId'));
  const collective = isCollective(context) ? collectives[tag] : undefined;
  return {
    comm: isUnavailable(comm) ? comm : await commRef(decoder, comm),
    peer: rank,
    tag,
    bytes: integer(bytes),
    isInternal: isCollective(context) || (!isUnavailable(comm) && (await isInternalComm(decoder, comm))),
    ...(collective === undefined ? {} : { collective }),
  };
}

/** MPIR_*_TAG, the same in 4.0 to 5.0. Nonblocking collectives count up from above them. */
const collectives: Partial<Record<number, string>> = {
  1: 'MPI_Barrier',
  2: 'MPI_Bcast',
  3: 'MPI_Gather',
  4: 'MPI_Gatherv',
  5: 'MPI_Scatter',
  6: 'MPI_Scatterv',
  7: 'MPI_Allgather',
  8: 'MPI_Allgatherv',
  9: 'MPI_Alltoall',
  10: 'MPI_Alltoallv',
  11: 'MPI_Reduce',
  14: 'MPI_Allreduce',
  17: 'MPI_Reduce_scatter',
  20: 'MPI_Scan',
  24: 'MPI_Exscan',
  25: 'MPI_Alltoallw',
  28: 'MPI_Reduce_scatter_block',
};

/**
 * UCX's workers, one for each of the library's communication interfaces. MPICH has them in its data, behind the context that
 * they were made in. No symbol names the place; UCX confirms it, because a worker refers to its context.
 */
const ucxWorkers = once(async (decoder: Decoder): Promise<bigint[]> => {
  const ucx = await ucxOf(decoder);
  const segments = (await decoder.image.modules()).flatMap((module) => module.segments);
  const isInModule = (address: bigint): boolean =>
    segments.some((segment) => address >= segment.address && address < segment.address + BigInt(segment.size));
  for (const data of decoder.objects.data)
    for (const { at, context, next } of pairsIn(data)) {
      if (isInModule(context) || isInModule(next) || !(await isWorkerOf(ucx, context, next))) continue;
      const found = [next];
      for (const other of new Set(pointersIn(data, at + 4, maxWorkerWords)))
        if (!isInModule(other) && (await isWorkerOf(ucx, context, other))) found.push(other);
      return found;
    }
  throw new QueryError('MPIDBG_ERR_NOT_FOUND', "UCX's worker was not found in the library's data");
});

/** MPICH has at most 64 interfaces, with less than 128 bytes for each. */
const maxWorkerWords = 64 * (128 / 4);

/** Two pointers side by side. Addresses are multiples of 8; words are 4 bytes. */
function* pairsIn(data: DataSegment): Generator<{ at: number; context: bigint; next: bigint }> {
  for (let at = 0; at + 4 <= data.words.length; at += 2) {
    if (data.words[at] === 0 || data.words[at + 2] === 0) continue;
    const [context, next] = [pointerAt(data, at), pointerAt(data, at + 2)];
    if (isHeapAddress(context) && isHeapAddress(next)) yield { at, context, next };
  }
}

function* pointersIn(data: DataSegment, from: number, count: number): Generator<bigint> {
  for (let at = from; at + 2 <= data.words.length && at < from + count; at += 2) {
    const pointer = pointerAt(data, at);
    if (isHeapAddress(pointer)) yield pointer;
  }
}

function pointerAt({ words }: DataSegment, at: number): bigint {
  return (BigInt(words[at + 1]! >>> 0) << 32n) | BigInt(words[at]! >>> 0);
}

function isHeapAddress(address: bigint): boolean {
  return address % 8n === 0n && address >= 1n << 16n && address < 1n << 47n;
}
