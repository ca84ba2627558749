/** A datatype inside the record of a derived one: a long list of pending requests is left out, not repeated in each. */
import { once } from '../once';
import { isUnavailable, unavailable } from '../result';
import type { DatatypeInfo } from './records';

/** A longer list is only in the datatype's own record. */
const maxRepeated = 16;

export const asPart = once((info: DatatypeInfo): DatatypeInfo => {
  const { pendingRequests } = info;
  if (isUnavailable(pendingRequests) || pendingRequests.length <= maxRepeated) return info;
  const reason = `${pendingRequests.length} requests: query this datatype itself`;
  return { ...info, pendingRequests: unavailable('MPIDBG_ERR_OUT_OF_RANGE', reason) };
});
