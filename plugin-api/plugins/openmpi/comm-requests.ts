/**
 * Requests that consist of several steps: of MPI_Comm_idup, of MPI_Isendrecv and its sister, and those with which the
 * library makes communicators. Open MPI keeps them in a free list of its own.
 */
import { readPointerArray } from '../../memory';
import type { ProcessImage } from '../../image';
import { once } from '../../once';
import { CorruptError, guard } from '../../result';
import { freeListItems, listOf } from './containers';
import { classNames, type Decoder } from './handles';
import {
  classSpec,
  collectiveScheduleSpec,
  commRequestItemSpec,
  commRequestSpec,
  freeListSpec,
  idupContextSpec,
  isendrecvContextSpec,
  isendrecvReplaceContextSpec,
  objectSpec,
  requestSpec,
  scheduleSpec,
} from './specs';

export interface CommRequest {
  /** internal: one step of making a communicator. */
  work: 'commDup' | 'sendReceive' | 'internal';
  /** For MPI_Comm_idup: the communicator that it duplicates; else 0n. */
  comm: bigint;
  /** The requests behind it. */
  inner: readonly bigint[];
}

const isendrecvSpecs = [isendrecvContextSpec, isendrecvReplaceContextSpec];

/** undefined: it is no such request, or does not show what it works on. */
export async function readCommRequest(decoder: Decoder, request: bigint): Promise<CommRequest | undefined> {
  const { reader, image } = decoder;
  if (!(await classNames(decoder, request)).includes(commRequestSpec.struct)) return undefined;
  const { context } = await reader.read(commRequestSpec, request);
  if (context === 0n) return undefined;
  const names = await classNames(decoder, context);
  const inner = await scheduled(decoder, request);
  if (names.includes(idupContextSpec.struct))
    return { work: 'commDup', comm: (await reader.read(idupContextSpec, context)).comm, inner };
  const spec = isendrecvSpecs.find(({ struct }) => names.includes(struct));
  if (spec === undefined) return names.length === 0 ? undefined : { work: 'internal', comm: 0n, inner };
  // It keeps both until the last of them is complete.
  const { requests } = await reader.read(spec, context);
  return { work: 'sendReceive', comm: 0n, inner: await readPointerArray(image, requests, 2, 2, 'two requests') };
}

const maxSteps = 64;
/** OMPI_COMM_REQUEST_MAX_SUBREQ. */
const maxInStep = 2;

/** What the remaining steps wait for. */
async function scheduled(decoder: Decoder, request: bigint): Promise<bigint[]> {
  const { reader, image } = decoder;
  const found: bigint[] = [];
  for (const step of await stepsOf(decoder, request)) {
    const { requests, count } = await reader.read(commRequestItemSpec, step);
    found.push(...(await readPointerArray(image, requests, count, maxInStep, 'the requests of a step')));
  }
  return found;
}

async function stepsOf({ reader }: Decoder, request: bigint): Promise<bigint[]> {
  const { schedule } = await reader.read(commRequestSpec, request);
  const found: bigint[] = [];
  for await (const step of listOf(reader, schedule, maxSteps, 'the steps of a request')) found.push(step);
  return found;
}

/** The requests behind others, by their own addresses; none where the free list is not found. */
export const innerRequests = once(async (decoder: Decoder): Promise<ReadonlySet<bigint>> => {
  const inner = new Set<bigint>();
  for (const request of await requestsInUse(decoder)) {
    const read = await guard(() => readCommRequest(decoder, request));
    if (read.ok) for (const each of read.value?.inner ?? []) inner.add(each);
  }
  return inner;
});

/** A request that is back in the free list has returned its own requests. */
const requestsInUse = once(async (decoder: Decoder): Promise<bigint[]> => {
  const found: bigint[] = [];
  for (const request of (await commRequests(decoder)) ?? [])
    if ((await decoder.reader.read(requestSpec, request)).state !== 0) found.push(request);
  return found;
});

/**
 * The addresses that such requests work on while a thread is handling one of their steps; else none. Meanwhile that
 * step, which names the requests it waits for, is in no list, and an unfinished request has no step left.
 */
const contextsAtWork = once(async (decoder: Decoder): Promise<{ start: bigint; end: bigint }[]> => {
  const { reader } = decoder;
  const found: { start: bigint; end: bigint }[] = [];
  let isAtWork = false;
  for (const request of await requestsInUse(decoder)) {
    const { context } = await reader.read(commRequestSpec, request);
    if (context === 0n) continue;
    const { complete } = await reader.read(requestSpec, request);
    isAtWork ||= complete !== 1n && (await stepsOf(decoder, request)).length === 0;
    const { objClass } = await reader.read(objectSpec, context);
    found.push({ start: context, end: context + (await reader.read(classSpec, objClass)).sizeOf });
  }
  return isAtWork ? found : [];
});

/** The library's own are far shorter. */
const maxScheduleBytes = 1 << 16;

/**
 * Whether such a request works with this nonblocking collective: a step of it waits for it, or, while a thread
 * handles the step, the buffers of the collective lie in what the request works on. undefined: it is complete, or of
 * a component that does not keep its buffers. `classes`: the names of the collective's classes.
 */
export async function isCollectiveBehind(
  decoder: Decoder,
  collective: bigint,
  classes: readonly string[],
): Promise<boolean | undefined> {
  if ((await innerRequests(decoder)).has(collective)) return true;
  const { reader, image } = decoder;
  const contexts = await contextsAtWork(decoder);
  if (contexts.length === 0) return false;
  if (!classes.includes(collectiveScheduleSpec.struct)) return undefined;
  const { schedule } = await reader.read(collectiveScheduleSpec, collective);
  if (schedule === 0n) return undefined;
  if (!(await classNames(decoder, schedule)).includes(scheduleSpec.struct))
    throw new CorruptError(`no schedule of a collective operation at 0x${schedule.toString(16)}`);
  const { size, data } = await reader.read(scheduleSpec, schedule);
  const memory = await image.readMemory(data, Math.min(size, maxScheduleBytes));
  const bytes = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  // Its parts have any length, so a pointer may begin at any byte.
  for (let at = 0; at + 8 <= bytes.byteLength; at++) {
    const word = bytes.getBigUint64(at, true);
    if (contexts.some(({ start, end }) => word >= start && word < end)) return true;
  }
  return false;
}

/** All that were ever made; undefined: their free list is not found. */
export const commRequests = once(async (decoder: Decoder): Promise<bigint[] | undefined> => {
  const stock = await guard(() => findStock(decoder));
  if (!stock.ok || stock.value === undefined) return undefined;
  return freeListItems(decoder.reader, stock.value, maxRequests, 'the list of requests that make communicators');
});

const maxRequests = 1 << 16;
/** Variables of one source file lie side by side. */
const neighbourhood = 1n << 14n;

/**
 * The free list is a variable that is not exported, from the same source file as one that is. It is proved by its
 * class and by the classes of its items.
 */
async function findStock({ image, reader }: Decoder): Promise<bigint | undefined> {
  const [near, list, item] = await Promise.all(
    ['ompi_comm_request_initialized', 'opal_free_list_t_class', 'ompi_comm_request_t_class'].map((name) =>
      image.findSymbol(name),
    ),
  );
  if (near === undefined || list === undefined || item === undefined) return undefined;
  const size = await reader.sizeOf(freeListSpec);
  const itemClass = await reader.offsetOf(freeListSpec, 'itemClass');
  const { start, bytes } = await readAround(image, near.address);
  for (let at = 0; at + size <= bytes.byteLength; at += 8)
    if (bytes.getBigUint64(at, true) === list.address && bytes.getBigUint64(at + itemClass, true) === item.address)
      return start + BigInt(at);
  return undefined;
}

/** The part of the segment that is near the address. */
async function readAround(image: ProcessImage, address: bigint): Promise<{ start: bigint; bytes: DataView }> {
  const segments = (await image.modules()).flatMap((module) => module.segments);
  const segment = segments.find((each) => address >= each.address && address < each.address + BigInt(each.size));
  const aligned = address - (address % 8n);
  const [from, to] = [aligned - neighbourhood, aligned + neighbourhood];
  const start = segment !== undefined && segment.address > from ? segment.address + (-segment.address & 7n) : from;
  const end = segment === undefined ? to : segment.address + BigInt(segment.size);
  const memory = await image.readMemory(start, Number((end < to ? end : to) - start));
  return { start, bytes: new DataView(memory.buffer, memory.byteOffset, memory.byteLength) };
}
