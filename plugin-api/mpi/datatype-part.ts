/** A datatype in the records of those made of it, which would all repeat what uses it. */
import { once } from '../once';
import { isUnavailable, unavailable } from '../result';
import type { DatatypeInfo } from './records';

/** More requests are told in its own record only. */
const maxRepeated = 16;

export const asPart = once((info: DatatypeInfo): DatatypeInfo => {
  const { pendingRequests } = info;
  if (isUnavailable(pendingRequests) || pendingRequests.length <= maxRepeated) return info;
  const reason = `${pendingRequests.length} requests: ask for this datatype itself`;
  return { ...info, pendingRequests: unavailable('MPIDBG_ERR_OUT_OF_RANGE', reason) };
});
