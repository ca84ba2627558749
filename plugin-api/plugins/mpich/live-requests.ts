/** Which pending operations an object takes part in. */
import type { HandleRef, Known, RequestInfo, Unavailable } from '../../mpi/records';
import { once } from '../../once';
import { isUnavailable, unavailable } from '../../result';
import { hex, type Decoder } from './handles';
import { liveObjects } from './live-objects';
import { requestAt } from './request';

/** The program's operations that go on. */
const pendingRequests = once(async (decoder: Decoder): Promise<RequestInfo[]> => {
  const requests = await liveObjects(decoder, 'request');
  const infos = await Promise.all(requests.map(({ address }) => requestAt(decoder, address)));
  return infos.filter(
    ({ active, complete, flags }) => active === true && complete === false && !flags.includes('internal'),
  );
});

/** Those that match; unavailable where one of them may match, and cannot be told. */
async function pending(
  decoder: Decoder,
  mayMatch: (request: RequestInfo) => boolean | Unavailable,
): Promise<Known<HandleRef[]>> {
  const found: HandleRef[] = [];
  for (const info of await pendingRequests(decoder)) {
    const matches = mayMatch(info);
    if (isUnavailable(matches)) return matches;
    if (matches) found.push({ kind: 'request', handle: info.handle });
  }
  return found;
}

/** The pending operations on a communicator. */
export function pendingOnComm(decoder: Decoder, comm: bigint): Promise<Known<HandleRef[]>> {
  return pending(decoder, (request) => matches(request.comm, comm));
}

/** The pending operations with a datatype. */
export function pendingWithDatatype(decoder: Decoder, datatype: bigint): Promise<Known<HandleRef[]>> {
  return pending(decoder, (request) => matches(request.datatype, datatype));
}

/** The pending operations with an op: none of the point-to-point ones has any. */
export function pendingWithOp(decoder: Decoder): Promise<Known<HandleRef[]>> {
  const notRecorded = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'MPICH does not record the operation of a reduction');
  return pending(decoder, ({ operation }) => ['collective', 'rma'].includes(operation) && notRecorded);
}

/** The pending operations on a file. */
export function pendingOnFiles(decoder: Decoder): Promise<Known<HandleRef[]>> {
  const notRecorded = unavailable('MPIDBG_ERR_NOT_SUPPORTED', 'ROMIO does not record the file of a request');
  return pending(decoder, ({ operation }) => ['io', 'unknown'].includes(operation) && notRecorded);
}

/** A communicator or datatype that was freed since is none that is asked about. */
function matches(ref: RequestInfo['comm'], handle: bigint): boolean | Unavailable {
  if (ref === undefined) return false;
  if (isUnavailable(ref)) return ref.code === 'MPIDBG_ERR_NOT_FOUND' ? false : ref;
  return ref.handle === hex(handle);
}
