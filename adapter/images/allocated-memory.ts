/** Searches the memory that a process has allocated for words that nothing points to. */
import type { Search } from '../../plugin-api/image';
import { FaultError } from '../../plugin-api/result';
import type { MemoryReader } from './memory-reader';

/** Private memory that can be written and has no file behind it: heaps, and stacks where they cannot be told from them. */
export interface AllocatedArea {
  start: bigint;
  size: number;
}

const alignment = 16;
const mebibyte = 1 << 20;
/**
 * The total to search, smallest areas first: enough for the small objects of libraries, but not the large arrays of
 * programs.
 */
const maxSearched = 256 * mebibyte;
const chunk = 4 * mebibyte;

const page = 4096;

/** In a live process, unreadable pages are guard pages. In a core file, they are missing from the file. */
export async function searchAllocated(
  areas: readonly AllocatedArea[],
  memory: MemoryReader,
  word: number,
  target: 'live' | 'core',
): Promise<Search> {
  const addresses: bigint[] = [];
  let left = maxSearched;
  let unread = 0;
  const search = async (start: bigint, length: number): Promise<void> => {
    try {
      const bytes = await memory.read(start, length);
      for (const offset of offsetsOf(word, bytes)) addresses.push(start + BigInt(offset));
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      if (length > page) {
        const half = Math.ceil(length / 2 / page) * page;
        await search(start, half);
        await search(start + BigInt(half), length - half);
      } else if (target === 'core') unread += length;
    }
  };
  for (const { start, size } of [...areas].sort((a, b) => a.size - b.size)) {
    const end = Math.min(size, left);
    left -= end;
    unread += size - end;
    for (let at = 0; at < end; at += chunk) await search(start + BigInt(at), Math.min(chunk, end - at));
  }
  if (unread === 0) return { addresses };
  const all = areas.reduce((sum, { size }) => sum + size, 0);
  const inMebibytes = (bytes: number) => Math.ceil(bytes / mebibyte);
  const gap = `${inMebibytes(unread)} of the ${inMebibytes(all)} MiB that the process has allocated were not searched`;
  return { addresses, gap };
}

function* offsetsOf(word: number, bytes: Uint8Array): Generator<number> {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  const wanted = word | 0;
  for (let at = 0; at < words.length; at += alignment / 4) if (words[at] === wanted) yield 4 * at;
}
