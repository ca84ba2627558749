/** The bytes that pending operations read and write, and which of them share some. */
import type {
  Answer,
  BufferFault,
  DatatypeInfo,
  HandleKind,
  Known,
  RequestInfo,
} from '../../../plugin-api/mpi/records';
import { isUnavailable } from '../../../plugin-api/result';

/** The bytes of an operation; `isDense`: they lie one after the other from `address` on. */
export interface Bytes {
  address: bigint;
  bytes: bigint;
  isDense: boolean;
}

export interface PendingBytes {
  info: RequestInfo;
  range: Bytes;
}

/** What this handle is. */
export type AskHandle = (kind: HandleKind, handle: bigint) => Promise<Answer>;

/** Pending operations that are held against each other. */
const maxPending = 2000;

/** Those of which it is known where they lie. */
export async function pendingBytes(requests: readonly RequestInfo[], ask: AskHandle): Promise<PendingBytes[]> {
  const pending = [];
  for (const info of requests.filter((each) => isPending(each) && touches(each)).slice(0, maxPending)) {
    const range = await rangeOf(info, ask);
    if (range !== undefined) pending.push({ info, range });
  }
  return pending;
}

/** undefined: it is not known, or there are none. */
export async function rangeOf(info: RequestInfo, ask: AskHandle): Promise<Bytes | undefined> {
  if (info.flags.includes('internal')) return undefined;
  const [address, bytes] = [addressOf(info.buffer), known(info.bytes)];
  if (address === undefined || bytes === undefined || BigInt(bytes) <= 0n) return undefined;
  return { address, bytes: BigInt(bytes), isDense: await isDense(info.datatype, ask) };
}

/**
 * Whether elements of this type are their bytes, one after the other, from the address on. A library that keeps the number of
 * bytes and no datatype has found that they are.
 */
async function isDense(datatype: RequestInfo['datatype'], ask: AskHandle): Promise<boolean> {
  if (datatype === undefined) return false;
  if (isUnavailable(datatype)) return true;
  const answer = await ask('datatype', BigInt(datatype.handle));
  if (answer.code !== 'MPIDBG_SUCCESS') return false;
  const { size, extent, lb, trueLb, trueExtent } = answer.info as DatatypeInfo;
  const isWhole = known(size) !== undefined && size === extent && size === trueExtent;
  return isWhole && lb === 0 && trueLb === 0;
}

/** Other pending operations that use some of the bytes, where one of the two writes. */
export function sharersOf(info: RequestInfo, range: Bytes, pending: readonly PendingBytes[]): BufferFault[] {
  if (!touches(info)) return [];
  const shared = pending.filter(
    (other) =>
      other.info.handle !== info.handle && (writes(info) || writes(other.info)) && isShared(info, range, other),
  );
  return shared.map(({ info: { handle, operation, peer, tag } }) => ({
    ...{ kind: 'shared', request: { kind: 'request', handle }, operation },
    ...(peer === undefined ? {} : { peer }),
    ...(tag === undefined ? {} : { tag }),
  }));
}

/** Bytes with holes between them are compared by their start and type: then at least the first is shared. */
function isShared(info: RequestInfo, range: Bytes, other: PendingBytes): boolean {
  if (range.isDense && other.range.isDense)
    return range.address < other.range.address + other.range.bytes && other.range.address < range.address + range.bytes;
  const [type, othersType] = [known(info.datatype), known(other.info.datatype)];
  return range.address === other.range.address && type !== undefined && type.handle === othersType?.handle;
}

export function isPending({ active, complete, sendMode }: RequestInfo): boolean {
  // The message of a buffered send has left its buffer.
  return active === true && complete === false && sendMode !== 'buffered';
}

export function writes({ operation }: RequestInfo): boolean {
  return operation === 'receive';
}

/** For other operations it is not known here which of their buffers it is. */
function touches({ operation }: RequestInfo): boolean {
  return operation === 'receive' || operation === 'send';
}

export function known<T>(item: Known<T> | undefined): T | undefined {
  return item === undefined || isUnavailable(item) ? undefined : item;
}

/** Below and above these MPI_BOTTOM, MPI_IN_PLACE and other numbers lie that are no addresses of variables. */
const lowest = 0x10000n;
const highest = 1n << 56n;

export function addressOf(item: Known<string> | undefined): bigint | undefined {
  const text = known(item);
  const address = text === undefined ? undefined : BigInt(text);
  return address === undefined || address < lowest || address >= highest ? undefined : address;
}
