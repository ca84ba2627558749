/**
 * Partitioned operations, since 5.0.0. Their component keeps the program's requests in two free lists of its own, and
 * uses sends and receives behind them: those that set an operation up fill a part of its request, the others go over
 * communicators of the component.
 */
import { readPointerArray } from '../../memory';
import { once } from '../../once';
import { guard, QueryError } from '../../result';
import { freeListItems } from './containers';
import { type Decoder, tableItems } from './handles';
import { partitionedSpec } from './specs';

/** Nobody looks at more. */
const maxRequests = 1 << 20;

/** All that were ever made, most of them free. */
export const partitionedRequests = once(async (decoder: Decoder): Promise<bigint[]> => {
  const { image, reader } = decoder;
  if ((await image.findSymbol('mca_part')) === undefined) return [];
  const found: bigint[][] = [];
  for (const name of ['mca_part_base_psend_requests', 'mca_part_base_precv_requests']) {
    const symbol = await image.findSymbol(name);
    if (symbol === undefined) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', `this Open MPI does not export ${name}`);
    found.push(await freeListItems(reader, symbol.address, maxRequests, 'the list of partitioned requests'));
  }
  return found.flat();
});

/** Whether this buffer is a part of a partitioned request, as for the messages that set one up. */
export async function isInPartitioned(decoder: Decoder, buffer: bigint): Promise<boolean> {
  const { starts, size } = await extents(decoder);
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= buffer) low = middle + 1;
    else high = middle;
  }
  return low > 0 && buffer < starts[low - 1]! + size;
}

const extents = once(async (decoder: Decoder): Promise<{ starts: bigint[]; size: bigint }> => {
  const requests = await guard(() => partitionedRequests(decoder));
  const starts = requests.ok ? [...requests.value].sort((a, b) => (a < b ? -1 : 1)) : [];
  return { starts, size: starts.length === 0 ? 0n : BigInt(await decoder.reader.sizeOf(partitionedSpec)) };
});

/** The communicators that the component made for itself. */
export const partitionedComms = once(async (decoder: Decoder): Promise<ReadonlySet<bigint>> => {
  const words = await componentWords(decoder);
  return new Set((await tableItems(decoder, 'comm')).filter((comm) => words.has(comm)));
});

/** Whether the component makes its communicators with this request. */
export async function makesPartitionedComm(decoder: Decoder, request: bigint): Promise<boolean> {
  return (await componentWords(decoder)).has(request);
}

const wordSize = 8;
const maxWords = 128;

/** What the component's variable refers to: its communicators, and the requests with which it makes them. */
const componentWords = once(async ({ image }: Decoder): Promise<ReadonlySet<bigint>> => {
  const component = await image.findSymbol('ompi_part_persist');
  if (component === undefined) return new Set();
  const count = Math.floor(component.size / wordSize);
  return new Set(
    await readPointerArray(image, component.address, count, maxWords, 'the component of partitioned ones'),
  );
});
