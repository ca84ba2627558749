/** Texts among the constants of a module, found without its code. */
import type { Module, ProcessImage, Segment } from '../image';
import { guard } from '../result';

/** MPICH's constants begin with what is searched for: 48 to 140 KB into them, in builds of 3.4 to 5.0. */
const chunkBytes = 0x10000;
const maxChunks = 128;

/**
 * Whether a text begins so. Searches at most 8 MiB of the constants, which lie behind the code where a linker has put both
 * into one segment. Where they cannot be read, as in a core file without the library, nor can the code: then true.
 */
export async function mentions(image: ProcessImage, module: Module, text: string): Promise<boolean> {
  const bytesAsText = new TextDecoder('latin1');
  for (const [start, end] of chunks(module).slice(0, maxChunks)) {
    const read = await guard(() => image.readMemory(start, Number(end - start)));
    if (!read.ok) return true;
    if (bytesAsText.decode(read.value).includes(`\0${text}`)) return true;
  }
  return false;
}

/**
 * Of constants alone from their start, the headers' segment last; where there are none, of code from its end. Each reaches
 * into the next.
 */
function chunks({ segments }: Module): [start: bigint, end: bigint][] {
  const constants = segments.filter((s) => !s.writable && !s.executable).reverse();
  if (constants.length > 0) return constants.flatMap(chunksOf);
  return segments.filter((s) => s.executable).flatMap((s) => chunksOf(s).reverse());
}

const overlap = 0x100;

function chunksOf({ address, fileSize }: Segment): [start: bigint, end: bigint][] {
  const found: [bigint, bigint][] = [];
  for (let at = 0; at < fileSize; at += chunkBytes)
    found.push([address + BigInt(at), address + BigInt(Math.min(at + chunkBytes + overlap, fileSize))]);
  return found;
}
