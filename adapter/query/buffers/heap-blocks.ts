/**
 * What glibc's malloc says of the blocks of the heap that grows with brk. Each block has its size in the word before it, and
 * the next block says whether it is in use; small blocks that a thread has freed are on its list of them, in order of their sizes
 * (tcache, malloc.c, since glibc 2.30), with the addresses mangled since 2.32.
 */
import type { ProcessImage } from '../../../plugin-api/image';
import { FaultError } from '../../../plugin-api/result';

const maxBlocks = 500_000;
const tcacheSize = 0x290n;
const tcacheLists = 64;
const maxPerList = 65_535;
const headLength = 2 * tcacheLists;

/** freed: malloc itself says so; given: it says that it is in use; undefined: it is not known. */
export async function heapState(
  image: ProcessImage,
  heap: { start: bigint; end: bigint },
  address: bigint,
): Promise<'freed' | 'given' | undefined> {
  try {
    return await stateIn(image, heap, address);
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

async function stateIn(image: ProcessImage, heap: { start: bigint; end: bigint }, address: bigint) {
  const word = async (at: bigint): Promise<bigint> => {
    const bytes = await image.readMemory(at, 8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  };
  let block = heap.start;
  // Its own list is the first block of the heap: a program with another allocator has none.
  if (((await word(block + 8n)) & ~7n) !== tcacheSize) return undefined;
  for (let count = 0; count < maxBlocks; count++) {
    const size = (await word(block + 8n)) & ~7n;
    const next = block + size;
    if (size < 32n || size % 16n !== 0n || next > heap.end) return undefined;
    if (address < block + 16n) return undefined;
    if (next === heap.end) return address < next ? 'freed' : undefined;
    // The first word of the next block is this block's too.
    if (address < next + 8n) {
      const isInUse = ((await word(next + 8n)) & 1n) === 1n;
      if (!isInUse) return 'freed';
      return (await isInTcache(image, word, heap.start, block, size)) ? 'freed' : 'given';
    }
    block = next;
  }
  return undefined;
}

async function isInTcache(
  image: ProcessImage,
  word: (at: bigint) => Promise<bigint>,
  first: bigint,
  block: bigint,
  size: bigint,
): Promise<boolean> {
  const list = Number((size - 32n) / 16n);
  if (list >= tcacheLists) return false;
  const counts = await image.readMemory(first + 16n + BigInt(2 * list), 2);
  const count = counts[0]! + 256 * counts[1]!;
  let entry = await word(first + 16n + BigInt(headLength + 8 * list));
  for (let i = 0; i < Math.min(count, maxPerList) && entry !== 0n; i++) {
    if (entry === block + 16n) return true;
    const mangled = await word(entry);
    entry = (entry >> 12n) ^ mangled;
    if (entry % 16n !== 0n) return false;
  }
  return false;
}
