/**
 * What of a process' memory is likely to be read for its MPI objects, to be fetched from another host in one question: variables
 * of the program and of MPI's libraries, the dynamic linker's list of libraries, the begin of the heap, and the heaps of threads.
 */
import type { MemoryRange } from '../../hosts/host';
import type { LiveMapping } from '../../hosts/process-maps';

const page = 4096;
/** Bytes: MPI makes its first objects in MPI_Init, before the program has filled its heap. */
const maxOfHeap = 2 << 20;
/** Bytes: variables of libraries are few, arrays of programs long. */
const maxOfMapping = 512 << 10;
const maxOfThreadHeap = 256 << 10;
/** Bytes: the dynamic linker's own heap is of such parts, as long as the C library's malloc is not there. */
const maxOfLinkerHeap = 4 * page;
const maxInAll = 4 << 20;
/** glibc's malloc: where a heap of a thread other than the first may begin. */
const threadHeapAlignment = 64n << 20n;

/** `program`: its path. `isOfMpi`: whether the file is an MPI's library. The ranges ascend. */
export function likelyReads(
  maps: readonly LiveMapping[],
  program: string | undefined,
  isOfMpi: (path: string) => boolean,
): MemoryRange[] {
  const isRead = (path: string): boolean => path === program || isOfMpi(path) || /\/ld[-.][^/]*$/.test(path);
  let left = maxInAll;
  // Fields that hold NULL are followed, too: nothing is there.
  const nowhere = { start: 0n, length: page };
  const likely = maps.flatMap((mapping, index) => {
    const { start, end } = mapping;
    const part = likelyPart(mapping, maps[index - 1], maps[index + 1], program, isRead);
    const length = Math.min(Number(end - start), part, left);
    left -= length;
    return length > 0 ? [{ start, length }] : [];
  });
  return [nowhere, ...likely];
}

/** Bytes from its start. */
function likelyPart(
  { start, end, path, file, offset, writable, shared }: LiveMapping,
  before: LiveMapping | undefined,
  behind: LiveMapping | undefined,
  program: string | undefined,
  isRead: (path: string) => boolean,
): number {
  if (path === '[heap]') return maxOfHeap;
  if (path === '[vdso]') return maxOfMapping;
  if (shared) return 0;
  if (file !== undefined) {
    // The dynamic linker's list points to its own name there.
    if (path === program && offset === 0) return page;
    // The dynamic linker has protected the variables in front of those that can be written.
    const isVariable = writable || (behind?.writable === true && behind.file === file && behind.start === end);
    return isVariable && isRead(path) ? maxOfMapping : 0;
  }
  if (!writable || path !== '') return 0;
  if (before?.file !== undefined && before.end === start && isRead(before.path)) return maxOfMapping;
  if (start % threadHeapAlignment === 0n) return maxOfThreadHeap;
  return end - start <= maxOfLinkerHeap ? maxOfLinkerHeap : 0;
}
