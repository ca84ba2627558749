/**
 * What of a process' memory is likely to be read for its MPI objects: variables of its libraries, the begin of its heap, and
 * the first page of each file, which tells where the rest of it is.
 */
import type { MemoryRange } from '../../hosts/host';
import type { LiveMapping } from '../../hosts/process-maps';

const page = 4096;
/** Bytes: MPI makes its first objects in MPI_Init, before the program has filled its heap. */
const maxOfHeap = 2 << 20;
/** Bytes: variables of libraries are few, arrays of programs long. */
const maxOfMapping = 256 << 10;
const maxInAll = 8 << 20;

export function likelyReads(maps: readonly LiveMapping[]): MemoryRange[] {
  let left = maxInAll;
  return maps.flatMap((mapping, index) => {
    const { start, end } = mapping;
    const length = Math.min(Number(end - start), likelyPart(mapping, maps[index - 1], maps[index + 1]), left);
    left -= length;
    return length > 0 ? [{ start, length }] : [];
  });
}

/** Bytes from its start. */
function likelyPart(
  { start, end, path, file, offset, writable, shared }: LiveMapping,
  before: LiveMapping | undefined,
  behind: LiveMapping | undefined,
): number {
  if (path === '[heap]') return maxOfHeap;
  if (path === '[vdso]') return maxOfMapping;
  if (shared) return 0;
  const isZeroed = path === '' && before?.file !== undefined && before.end === start;
  if (writable) return file !== undefined || isZeroed ? maxOfMapping : 0;
  if (file === undefined) return 0;
  // The dynamic linker has protected these variables.
  if (behind?.writable === true && behind.file === file && behind.start === end) return maxOfMapping;
  return offset === 0 ? page : 0;
}
