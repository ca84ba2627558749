/** Open MPI's containers, read with bounds. */
import { readPointer, readPointerArray, walkList } from '../../memory';
import { CorruptError } from '../../result';
import type { StructReader } from '../../struct';
import {
  freeListItemSpec,
  freeListSpec,
  hashElementSpec,
  hashTableSpec,
  listItemSpec,
  listSpec,
  objectSpec,
  pointerArraySpec,
} from './specs';

/** opal_pointer_array_t: the library's numbered tables. */
export interface PointerArray {
  /** Slots that exist; a free one holds NULL. */
  size: number;
  /** How many of them are free, as the library counts them; undefined: not known. */
  free: number | undefined;
  item(index: number): Promise<bigint>;
  /** All slots, in order: one may hold NULL, or a small number while it is only reserved. */
  slots(): Promise<bigint[]>;
}

/** Lower values are no addresses: the first page is never mapped. */
export const lowestAddress = 4096n;

/** OMPI_FORTRAN_HANDLE_MAX bounds the tables only by INT_MAX; no process holds this many handles. */
const maxSlots = 1 << 26;

export async function readPointerArrayAt(reader: StructReader, address: bigint): Promise<PointerArray> {
  const { free, size, items } = await reader.read(pointerArraySpec, address);
  if (size < 0 || size > maxSlots) throw new CorruptError(`a handle table has ${size} slots, which is not plausible`);
  return {
    size,
    free,
    item: (index) => readPointer(reader.image, items + BigInt(8 * index)),
    slots: () => listSlots(reader, items, size),
  };
}

/** The most slots that are listed: more handles than anyone looks at, since tables grow by doubling. */
const maxListed = 1 << 20;
const slotsPerRead = 1 << 12;

async function listSlots({ image }: StructReader, address: bigint, size: number): Promise<bigint[]> {
  if (size > maxListed) throw new CorruptError(`a handle table has ${size} slots: too many to list`);
  const found: bigint[][] = [];
  for (let done = 0; done < size; done += slotsPerRead) {
    const count = Math.min(slotsPerRead, size - done);
    found.push(await readPointerArray(image, address + BigInt(8 * done), count, slotsPerRead, 'a handle table'));
  }
  return found.flat();
}

const maxHashBytes = 1 << 22;

/** The values of an opal_hash_table_t, in no particular order. */
export async function readHashTable(reader: StructReader, address: bigint): Promise<bigint[]> {
  const { elements, capacity, used } = await reader.read(hashTableSpec, address);
  if (used > capacity) throw new CorruptError(`a hash table holds ${used} of ${capacity} elements`);
  const all = await reader.readArray(hashElementSpec, elements, Number(capacity), maxHashBytes);
  return all.filter((element) => element.isValid !== 0).map((element) => element.value);
}

/** The items of an opal_list_t. Throws CorruptError on a cycle and beyond `limit`; what was reached has been yielded. */
export async function* listOf(
  reader: StructReader,
  address: bigint,
  limit: number,
  what: string,
): AsyncGenerator<bigint> {
  const { sentinel, first } = await reader.read(listSpec, address);
  const next = (item: bigint) => (item === sentinel ? undefined : item);
  const items = walkList(
    // The list of a component that has not been used yet is all zero.
    first === 0n ? undefined : next(first),
    (item) => reader.read(listItemSpec, item),
    (item) => next(item.next),
    limit,
    what,
  );
  for await (const item of items) yield item.address;
}

/** Each has some dozens of items. */
const maxAllocations = 1 << 16;

/**
 * All items of an opal_free_list_t, whether or not they are in use. They are allocated in blocks whose lengths are
 * not kept: a block ends where no object of the list's class follows. Throws CorruptError beyond `limit` items.
 */
export async function freeListItems(
  reader: StructReader,
  address: bigint,
  limit: number,
  what: string,
): Promise<bigint[]> {
  const { allocations, allocated, itemSize, alignment, itemClass } = await reader.read(freeListSpec, address);
  if (allocated === 0n) return [];
  if (allocated > BigInt(limit)) throw new CorruptError(`${what} has ${allocated} items: too many to list`);
  const step = alignment > 0n ? alignment : 1n;
  const aligned = (value: bigint) => ((value + step - 1n) / step) * step;
  const stride = aligned(itemSize);
  if (stride < BigInt(await reader.sizeOf(objectSpec))) throw new CorruptError(`${what} has items of ${stride} bytes`);
  const head = BigInt(await reader.sizeOf(freeListItemSpec));
  const found: bigint[] = [];
  for await (const allocation of listOf(reader, allocations, maxAllocations, `the memory of ${what}`)) {
    for (let item = aligned(allocation + head); BigInt(found.length) < allocated; item += stride) {
      if ((await reader.read(objectSpec, item)).objClass !== itemClass) break;
      found.push(item);
    }
  }
  return found;
}
