/**
 * The requests inside other operations: nonblocking collectives, MPI_Comm_idup, MPI_Isendrecv and
 * MPI_Isendrecv_replace are one request of the program and a schedule of steps, each of which may have a request of
 * its own. The library keeps the schedules in a list whose head is a variable without a name; it is recognised by its
 * first element, which points to a pending request, and by the list, whose elements must all do so.
 */
import { boundedCount, readI32, readPointerArray, walkList } from '../../memory';
import { once } from '../../once';
import { CorruptError, guard } from '../../result';
import type { StructValues } from '../../struct';
import { pointersInData } from './data-pointers';
import type { Decoder } from './handles';
import { liveObjects } from './live-objects';
import { requestKind } from './request-kinds';
import {
  contextStateSpec,
  graphScheduleSpec,
  graphVertexSpec,
  requestSpec,
  scheduleEntrySpec,
  scheduleSpec,
} from './specs';

type Request = StructValues<typeof requestSpec>;
type Schedule = StructValues<typeof scheduleSpec>;
type Vertex = StructValues<typeof graphVertexSpec>;

export interface ScheduledRequests {
  /** Addresses. */
  inner: ReadonlySet<bigint>;
  /** The schedule of every operation that has one was found. */
  areAll: boolean;
}

const maxSchedules = 1 << 16;
const maxEntries = 1 << 20;

export const scheduledRequests = once(async (decoder: Decoder): Promise<ScheduledRequests> => {
  const { graphs, schedules, unfound } = await pendingSchedules(decoder);
  const ofSchedules = await Promise.all(schedules.map((schedule) => entryRequests(decoder, schedule)));
  return { inner: new Set([...graphs, ...ofSchedules].flat()), areAll: unfound.length === 0 };
});

export interface HalfMadeComms {
  /** Addresses. */
  comms: ReadonlySet<bigint>;
  /** Pending operations that may be MPI_Comm_idup, too: what they make was not found. */
  unfound: readonly Request[];
}

/**
 * The communicators that a pending MPI_Comm_idup makes. Throws FaultError, QueryError where the requests cannot be
 * read.
 */
export const commsOfIdup = once(async (decoder: Decoder): Promise<HalfMadeComms> => {
  const { schedules, unfound } = await pendingSchedules(decoder);
  const idups = schedules.filter(({ kind }) => kind === generalized);
  const comms = await Promise.all(idups.map((schedule) => guard(() => newComm(decoder, schedule))));
  const unread = idups.filter((_, i) => !comms[i]!.ok).map(({ request }) => request);
  return {
    comms: new Set(comms.flatMap((comm) => (comm.ok ? [comm.value] : []))),
    unfound: [...unfound, ...(await Promise.all(unread.map((at) => decoder.objects.reader.read(requestSpec, at))))],
  };
});

interface PendingSchedules {
  /** The requests inside each operation that is a graph. */
  graphs: bigint[][];
  schedules: Schedule[];
  /** Operations for which neither was found. */
  unfound: Request[];
}

const pendingSchedules = once(async (decoder: Decoder): Promise<PendingSchedules> => {
  const graphs: bigint[][] = [];
  const waiting = new Map<bigint, Request>();
  for (const request of await pendingOperations(decoder)) {
    const found = await guard(() => graphRequests(decoder, request));
    if (found.ok) graphs.push(found.value);
    else waiting.set(request.address, request);
  }
  const schedules = waiting.size === 0 ? [] : await findSchedules(decoder, new Set(waiting.keys()));
  for (const { request } of schedules) waiting.delete(request);
  return { graphs, schedules, unfound: [...waiting.values()] };
});

async function pendingOperations(decoder: Decoder): Promise<Request[]> {
  const { image, objects } = decoder;
  const found: Request[] = [];
  for (const { address } of await liveObjects(decoder, 'request')) {
    const request = await objects.reader.read(requestSpec, address);
    if (requestKind(request) !== 'collective') continue;
    if ((await readI32(image, request.completion)) !== 0) found.push(request);
  }
  return found;
}

/** The first list of schedules that the library's data leads to; none when there is no such list. */
async function findSchedules(decoder: Decoder, pending: ReadonlySet<bigint>): Promise<Schedule[]> {
  for (const head of await pointersInData(decoder)) {
    const list = await guard(() => readSchedules(decoder, head, pending));
    if (list.ok) return list.value;
  }
  return [];
}

/** Throws CorruptError where the list does not begin there: each points back to the one before, the first to the last. */
async function readSchedules(decoder: Decoder, head: bigint, pending: ReadonlySet<bigint>): Promise<Schedule[]> {
  const read = async (address: bigint): Promise<Schedule> => {
    const schedule = await decoder.objects.reader.read(scheduleSpec, address);
    if (!pending.has(schedule.request)) throw new CorruptError('no schedule of a pending operation is there');
    return schedule;
  };
  const list: Schedule[] = [];
  const next = ({ next }: Schedule) => (next === 0n ? undefined : next);
  for await (const schedule of walkList(head, read, next, maxSchedules, 'the list of schedules')) list.push(schedule);
  const isLinked = list.every(({ previous }, i) => previous === list.at(i - 1)!.address);
  if (!isLinked) throw new CorruptError('the list of schedules does not lead back');
  return list;
}

/** MPIDU_Sched_entry_type and MPIDU_Sched_entry_status. */
const sends = [1, 3];
const receives = [2, 4];
const started = 1;

/** MPIR_Sched_kind: its steps add others, as only those of MPI_Comm_idup do. */
const generalized = 2;
const calls = 8;

/** Its first step calls a function with the state that all others share. Throws CorruptError, FaultError, MissingTypeError. */
async function newComm({ objects: { reader } }: Decoder, { address, entries }: Schedule): Promise<bigint> {
  const { type, callState } = await reader.read(scheduleEntrySpec, entries);
  const state = type === calls ? await reader.read(contextStateSpec, callState) : undefined;
  if (state?.schedule !== address) throw new CorruptError('the schedule does not begin as that of MPI_Comm_idup');
  return state.newComm;
}

async function entryRequests(decoder: Decoder, { entries, entryCount }: Schedule): Promise<bigint[]> {
  const count = boundedCount(entryCount, maxEntries, "the number of a schedule's steps");
  const steps = await decoder.objects.reader.readArray(scheduleEntrySpec, entries, count);
  return steps.flatMap(({ type, status, sendRequest, receiveRequest }) => {
    if (status !== started) return [];
    return sends.includes(type) ? [sendRequest] : receives.includes(type) ? [receiveRequest] : [];
  });
}

/** Throws CorruptError, FaultError for an operation whose schedule is no graph. */
async function graphRequests({ image, objects }: Decoder, { schedule, address }: Request): Promise<bigint[]> {
  const graph = await objects.reader.read(graphScheduleSpec, schedule);
  if (graph.request !== address) throw new CorruptError('no graph of this operation is there');
  const first = graph.firstIssued === 0n ? undefined : graph.firstIssued;
  const read = (at: bigint) => objects.reader.read(graphVertexSpec, at);
  const next = ({ next }: Vertex) => (next === 0n ? undefined : next);
  const found: bigint[] = [];
  for await (const vertex of walkList(first, read, next, maxEntries, 'the list of issued steps')) {
    const { many, synchronous, schedule: nested } = vertexKinds(vertex);
    if (vertex.kind < many || vertex.kind === synchronous) found.push(vertex.transferRequest);
    if (vertex.kind === nested) found.push(vertex.scheduleRequest);
    if (vertex.kind === many) {
      const { manyRequests, destinationCount } = vertex;
      found.push(...(await readPointerArray(image, manyRequests, destinationCount, maxEntries, 'the destinations')));
    }
  }
  return found;
}

/** MPII_Genutil_vtx_kind_e: 0 to 2 are transfers of one message. */
function vertexKinds({ synchronousRequest }: Vertex): { many: number; synchronous?: number; schedule: number } {
  return synchronousRequest === undefined ? { many: 3, schedule: 9 } : { many: 3, synchronous: 4, schedule: 10 };
}
