/** Open MPI's containers, read with bounds. */
import { readPointer } from '../../memory';
import { CorruptError } from '../../result';
import type { StructReader } from '../../struct';
import { hashElementSpec, hashTableSpec, pointerArraySpec } from './specs';

/** opal_pointer_array_t: the library's numbered tables. */
export interface PointerArray {
  /** Slots that exist; a free one holds NULL. */
  size: number;
  item(index: number): Promise<bigint>;
}

/** OMPI_FORTRAN_HANDLE_MAX bounds the tables only by INT_MAX; this many handles no process holds. */
const mostSlots = 1 << 26;

export async function readPointerArrayAt(reader: StructReader, address: bigint): Promise<PointerArray> {
  const { size, items } = await reader.read(pointerArraySpec, address);
  if (size < 0 || size > mostSlots) throw new CorruptError(`a handle table has ${size} slots, which is not plausible`);
  return { size, item: (index) => readPointer(reader.image, items + BigInt(8 * index)) };
}

const mostHashBytes = 1 << 22;

/** The values of an opal_hash_table_t, in no order. */
export async function readHashTable(reader: StructReader, address: bigint): Promise<bigint[]> {
  const { elements, capacity, used } = await reader.read(hashTableSpec, address);
  if (used > capacity) throw new CorruptError(`a hash table holds ${used} of ${capacity} elements`);
  const all = await reader.readArray(hashElementSpec, elements, Number(capacity), mostHashBytes);
  return all.filter((element) => element.isValid !== 0).map((element) => element.value);
}
