/** Requests that a call of MPI was given and that are none: never made, or forgotten when they were complete. */
import { readI32, readU64 } from '../../../plugin-api/memory';
import type { ProcessImage } from '../../../plugin-api/image';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { PassedArgument } from '../../../plugin-api/deaths/rank-death';

/** More are not asked about. */
const maxAsked = 256;

/** Whether the call reads the requests behind this argument. */
export function isReadRequest(call: string, name: string): boolean {
  const isOne = /^MPI_(Wait|Test|Request_get_status)$/.test(call) && name === 'request';
  return isOne || (/^MPI_(Wait|Test|Start)/.test(call) && name === 'array_of_requests');
}

/**
 * The first invalid request, together with those that follow it with the same handle. `count`: undefined for a single request. Answers undefined if
 * none is known to be invalid.
 * Rejects with FaultError.
 */
export async function invalidRequests(
  name: string,
  { image, address }: { image: ProcessImage; address: bigint },
  count: number | undefined,
  mpi: MpiProcess,
): Promise<PassedArgument | undefined> {
  const size = mpi.handleSize('request');
  let first: { index: number; handle: bigint } | undefined;
  let behind = 0;
  for (; behind < Math.min(count ?? 1, maxAsked); behind++) {
    const at = address + BigInt(size * behind);
    const handle = size === 4 ? BigInt.asUintN(32, BigInt(await readI32(image, at))) : await readU64(image, at);
    if (first !== undefined && handle !== first.handle) break;
    if (first === undefined && (await isNone(mpi, handle))) first = { index: behind, handle };
  }
  if (first === undefined) return undefined;
  const last = behind - 1;
  const range = last === first.index ? `${last}` : `${first.index}-${last}`;
  const text = `invalid MPI_Request 0x${first.handle.toString(16)}`;
  return { name: count === undefined ? name : `${name}[${range}]`, text };
}

async function isNone(mpi: MpiProcess, handle: bigint): Promise<boolean> {
  const found = await mpi.query('request', handle);
  return !found.ok && found.code === 'MPIDBG_ERR_NOT_FOUND';
}
