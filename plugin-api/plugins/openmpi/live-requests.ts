/** Requests and messages have no table of their own: they are in the lists of the components that process them. */
import { groupedBy } from '../../grouped-by';
import { readPointerArray } from '../../memory';
import type { HandleRef } from '../../mpi/records';
import { guard, QueryError } from '../../result';
import type { StructValues } from '../../struct';
import { openUcx, postedReceives, requestAddress, type Ucx } from '../ucx/index';
import { commRequests, readCommRequest } from './comm-requests';
import { freeListItems, listOf } from './containers';
import { classNames, type Decoder, handleRef, tableItems } from './handles';
import { once, onceByKey } from '../../once';
import { partitionedRequests } from './partitioned';
import {
  collectiveRequestSpec,
  commSpec,
  libnbcSpec,
  listItemSpec,
  ob1CommSpec,
  ob1ProcSpec,
  ompioRequestSpec,
  partitionedSpec,
  pmlComponentSpec,
  pointToPointSpec,
  requestSpec,
  ucxModuleSpec,
} from './specs';

/** A request that is in use: active, or persistent and inactive. */
export interface LiveRequest {
  handle: bigint;
  isActive: boolean;
  /** 0n where the request is not one of a communicator, or does not say. */
  comm: bigint;
  datatype: bigint;
}

export interface LiveRequests {
  requests: LiveRequest[];
  /** Why there may be more: a sentence for each list that cannot be read. */
  gaps: string[];
}

type List = (decoder: Decoder) => Promise<Iterable<bigint>>;

/** ompi_request_state_t. */
export const requestStates = { invalid: 0, inactive: 1, active: 2, cancelled: 3 };

/** Nobody looks at more requests or messages. */
export const maxRequests = 1 << 20;

export const liveRequests = once(async (decoder: Decoder): Promise<LiveRequests> => {
  const gaps: string[] = [];
  const found = new Set<bigint>();
  const lists: readonly List[] = [
    ...[pointToPointRequests, ucxReceives, collectiveRequests],
    ...[ioRequests, stepwiseRequests, partitionedRequests],
  ];
  for (const list of lists) {
    const items = await guard(() => list(decoder));
    if (items.ok) for (const item of items.value) found.add(item);
    else gaps.push(items.reason);
  }
  // Only those that the program made Fortran handles of.
  const inTable = await guard(() => tableItems(decoder, 'request'));
  if (inTable.ok) for (const item of inTable.value) found.add(item);
  const requests: LiveRequest[] = [];
  for (const handle of found) {
    const request = await readLiveRequest(decoder, handle);
    if (request !== undefined) requests.push(request);
  }
  return { requests, gaps };
});

/** Whether a list of operations under way has it, which a request that was completed or freed is taken from. */
export async function isUnderWay(decoder: Decoder, handle: bigint): Promise<boolean> {
  const lists: readonly List[] = [
    ...[ob1PostedReceives, ucxReceives, collectiveRequests],
    ...[ioRequests, stepwiseRequests, partitionedRequests],
  ];
  const found = await Promise.all(lists.map((list) => guard(() => list(decoder))));
  return found.some((items) => items.ok && [...items.value].includes(handle));
}

/** undefined: it is in the library's free list, or no longer a request. */
async function readLiveRequest(decoder: Decoder, handle: bigint): Promise<LiveRequest | undefined> {
  if (await isBlockingReceive(decoder, handle)) return { handle, isActive: true, comm: 0n, datatype: 0n };
  const request = await guard(async () => {
    const { state } = await decoder.reader.read(requestSpec, handle);
    if (state === requestStates.invalid) return undefined;
    return { handle, isActive: state !== requestStates.inactive, ...(await usedObjects(decoder, handle)) };
  });
  return request.ok ? request.value : undefined;
}

async function usedObjects(decoder: Decoder, handle: bigint): Promise<Pick<LiveRequest, 'comm' | 'datatype'>> {
  const names = await classNames(decoder, handle);
  if (names.includes(pointToPointSpec.struct)) return decoder.reader.read(pointToPointSpec, handle);
  if (names.includes(partitionedSpec.struct)) return decoder.reader.read(partitionedSpec, handle);
  if (names.includes(collectiveRequestSpec.struct))
    return { ...(await decoder.reader.read(collectiveRequestSpec, handle)), datatype: 0n };
  return { comm: (await readCommRequest(decoder, handle))?.comm ?? 0n, datatype: 0n };
}

/** The active requests of a communicator or with a datatype. Throws where some list cannot be read. */
export async function pendingRequests(
  decoder: Decoder,
  kind: 'comm' | 'datatype',
  object: bigint,
): Promise<HandleRef[]> {
  const { gaps } = await liveRequests(decoder);
  const [gap] = gaps;
  if (gap !== undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', gap);
  const pending = (await activeRequestsBy(decoder, kind)).get(object) ?? [];
  return Promise.all(pending.map(({ handle }) => handleRef(decoder, 'request', handle)));
}

/** How many requests of a communicator there are, persistent ones included. */
export async function requestCount(decoder: Decoder, comm: bigint): Promise<number> {
  return (await requestsByComm(decoder)).get(comm)?.length ?? 0;
}

const requestsByComm = once(async (decoder: Decoder) =>
  groupedBy((await liveRequests(decoder)).requests, (request) => request.comm),
);

const activeRequestsBy = onceByKey(async (decoder: Decoder, kind: 'comm' | 'datatype') => {
  const { requests } = await liveRequests(decoder);
  return groupedBy(
    requests.filter(({ isActive }) => isActive),
    (request) => request[kind],
  );
});

/** The name of the message layer: "ob1", "ucx", "cm". */
export const messageLayer = once(async ({ image, reader }: Decoder): Promise<string> => {
  const symbol = await image.findSymbol('mca_pml_base_selected_component');
  if (symbol === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the message layer of this Open MPI is unknown');
  return (await reader.read(pmlComponentSpec, symbol.address)).name;
});

async function pointToPointRequests(decoder: Decoder): Promise<bigint[]> {
  const layer = await messageLayer(decoder);
  if (layer !== 'ob1')
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `the message layer ${layer} has no list of all its requests`);
  const found: bigint[][] = [];
  for (const [name, what] of [
    ['mca_pml_base_send_requests', 'the list of sends'],
    ['mca_pml_base_recv_requests', 'the list of receives'],
  ] as const) {
    const symbol = await decoder.image.findSymbol(name);
    if (symbol === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `this Open MPI does not export ${name}`);
    found.push(await freeListItems(decoder.reader, symbol.address, maxRequests, what));
  }
  return [...found, await ob1PostedReceives(decoder)].flat();
}

export const maxProcesses = 1 << 20;

/** The request of a thread in MPI_Probe is on its stack: only the lists of posted receives lead to it. */
async function ob1PostedReceives(decoder: Decoder): Promise<bigint[]> {
  const found: bigint[][] = [];
  for (const comm of await tableItems(decoder, 'comm')) {
    const posted = await guard(() => ob1PostedReceivesOf(decoder, comm));
    // A communicator that is being made has no such lists yet.
    if (posted.ok) found.push(posted.value);
  }
  return found.flat();
}

/**
 * What ob1 keeps of a communicator; undefined: nothing, because it is still being made or belongs to another message
 * layer.
 */
export async function ob1CommOf(decoder: Decoder, comm: bigint): Promise<StructValues<typeof ob1CommSpec> | undefined> {
  const { pmlComm } = await decoder.reader.read(commSpec, comm);
  if (pmlComm === 0n || !(await classNames(decoder, pmlComm)).includes(ob1CommSpec.struct)) return undefined;
  return decoder.reader.read(ob1CommSpec, pmlComm);
}

async function ob1PostedReceivesOf(decoder: Decoder, comm: bigint): Promise<bigint[]> {
  const { reader, image } = decoder;
  const queues = await ob1CommOf(decoder, comm);
  if (queues === undefined) return [];
  const { wildReceives, procs, procCount } = queues;
  const lists = [wildReceives];
  for (const proc of await readPointerArray(image, procs, Number(procCount), maxProcesses, 'the number of peers'))
    if (proc !== 0n) lists.push((await reader.read(ob1ProcSpec, proc)).receives);
  const found: bigint[] = [];
  for (const list of lists)
    for await (const item of listOf(reader, list, maxRequests, 'the list of posted receives')) found.push(item);
  return found;
}

/** Throws where its structs are not known. */
export const ucxOf = once((decoder: Decoder): Promise<Ucx> => openUcx(decoder.image));

/** UCX's worker, which has its queues; undefined: the message layer ucx is not loaded. */
export const ucxWorker = once(async (decoder: Decoder): Promise<bigint | undefined> => {
  const module = await decoder.image.findSymbol('ompi_pml_ucx');
  return module && (await decoder.reader.read(ucxModuleSpec, module.address)).worker;
});

/** The receives that wait in UCX's queues; its sends, and persistent requests, are in none. */
export const ucxReceives = once(async (decoder: Decoder): Promise<ReadonlySet<bigint>> => {
  const worker = await ucxWorker(decoder);
  if (worker === undefined || (await messageLayer(decoder)) !== 'ucx') return new Set();
  const ucx = await ucxOf(decoder);
  const posted = await postedReceives(ucx, worker);
  const size = -(await requestAddress(ucx, 0n));
  return new Set(posted.map(({ address }) => address + size));
});

/**
 * Whether only UCX knows this receive: a thread in MPI_Recv gives UCX a part of its stack, without a request of Open
 * MPI.
 */
export async function isBlockingReceive(decoder: Decoder, handle: bigint): Promise<boolean> {
  const posted = await guard(() => ucxReceives(decoder));
  if (!posted.ok || !posted.value.has(handle)) return false;
  const names = await guard(() => classNames(decoder, handle));
  return !names.ok || !names.value.includes(requestSpec.struct);
}

async function collectiveRequests({ image, reader }: Decoder): Promise<bigint[]> {
  const component = await image.findSymbol('mca_coll_libnbc_component');
  if (component === undefined) return [];
  const { active } = await reader.read(libnbcSpec, component.address);
  return allOf(listOf(reader, active, maxRequests, 'the list of nonblocking collectives'));
}

async function stepwiseRequests(decoder: Decoder): Promise<bigint[]> {
  return (await commRequests(decoder)) ?? [];
}

async function ioRequests({ image, reader }: Decoder): Promise<bigint[]> {
  const list = await image.findSymbol('mca_common_ompio_pending_requests');
  if (list === undefined) return [];
  const item = BigInt(await reader.offsetOf(ompioRequestSpec, 'item'));
  const items = await allOf(listOf(reader, list.address, maxRequests, 'the list of file operations'));
  return items.map((address) => address - item);
}

async function allOf(items: AsyncGenerator<bigint>): Promise<bigint[]> {
  const found: bigint[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Messages that MPI_Mprobe took and that have not been received yet. */
export async function liveMessages(decoder: Decoder): Promise<bigint[]> {
  const items = await messageItems(decoder);
  if (items === undefined) return tableItems(decoder, 'message');
  const predefined = (await decoder.constants.ofKind('message')).map(({ handle }) => handle);
  const isLive = await Promise.all(items.map((item) => isMessageInUse(decoder, item)));
  return [...predefined, ...items.filter((_, i) => isLive[i])];
}

/** All messages that were ever made, most of them in the free list; undefined where this library does not export it. */
export async function messageItems({ image, reader }: Decoder): Promise<bigint[] | undefined> {
  const stock = await image.findSymbol('ompi_message_free_list');
  return stock && freeListItems(reader, stock.address, maxRequests, 'the list of messages');
}

export async function isMessageInUse(decoder: Decoder, message: bigint): Promise<boolean> {
  return !(await isInFreeList(decoder, message));
}

/** A free request or message is linked to the next, or to the end of the list. */
export async function isInFreeList({ reader }: Decoder, item: bigint): Promise<boolean> {
  return (await reader.read(listItemSpec, item)).next !== 0n;
}
