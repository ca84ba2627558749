/** Which pending operations an object takes part in. */
import { groupedBy } from '../../grouped-by';
import type { HandleRef, Known, RequestInfo } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { isUnavailable, unavailable } from '../../result';
import { hex, type Decoder } from './handles';
import { liveObjects } from './live-objects';
import { checkKind, requestAt } from './request';

/** The program's pending operations. Throws CorruptError if one request does not tell what it is. */
const pendingRequests = once(async (decoder: Decoder): Promise<RequestInfo[]> => {
  const pending: RequestInfo[] = [];
  for (const { address } of await liveObjects(decoder, 'request')) {
    await checkKind(decoder, address);
    const info = await requestAt(decoder, address);
    if (info.active === true && info.complete === false && !info.flags.includes('internal')) pending.push(info);
  }
  return pending;
});

/**
 * By the handle of the object that they refer to; unavailable if one of them may refer to any object and cannot be
 * decoded.
 */
const pendingBy = onceByKey(async (decoder: Decoder, field: 'comm' | 'datatype') => {
  const named: { object: string; request: HandleRef }[] = [];
  for (const { handle, [field]: object } of await pendingRequests(decoder)) {
    // An object that was freed since is never asked about.
    if (object === undefined || (isUnavailable(object) && object.code === 'MPIDBG_ERR_NOT_FOUND')) continue;
    if (isUnavailable(object)) return object;
    named.push({ object: object.handle, request: { kind: 'request', handle } });
  }
  return groupedBy(named, ({ object }) => object);
});

async function pendingOn(decoder: Decoder, field: 'comm' | 'datatype', object: bigint): Promise<Known<HandleRef[]>> {
  const pending = await pendingBy(decoder, field);
  return isUnavailable(pending) ? pending : (pending.get(hex(object)) ?? []).map(({ request }) => request);
}

/** The pending operations on a communicator. */
export function pendingOnComm(decoder: Decoder, comm: bigint): Promise<Known<HandleRef[]>> {
  return pendingOn(decoder, 'comm', comm);
}

/** The pending operations with a datatype. */
export function pendingWithDatatype(decoder: Decoder, datatype: bigint): Promise<Known<HandleRef[]>> {
  return pendingOn(decoder, 'datatype', datatype);
}

/** The pending operations. */
const pendingKinds = once(async (decoder: Decoder): Promise<ReadonlySet<RequestInfo['operation']>> => {
  return new Set((await pendingRequests(decoder)).map(({ operation }) => operation));
});

/** The pending operations with an op: none of the point-to-point ones has any. */
export async function pendingWithOp(decoder: Decoder): Promise<Known<HandleRef[]>> {
  const kinds = await pendingKinds(decoder);
  if (!kinds.has('collective') && !kinds.has('rma')) return [];
  return unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'MPICH does not record the operation of a reduction');
}

/** The pending operations on a file. */
export async function pendingOnFiles(decoder: Decoder): Promise<Known<HandleRef[]>> {
  const kinds = await pendingKinds(decoder);
  if (!kinds.has('io') && !kinds.has('unknown')) return [];
  return unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'ROMIO does not record the file of a request');
}
