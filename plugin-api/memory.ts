/** Small reads that need no layout, and bounded walks: lengths and list ends from the process are never trusted. */
import type { ProcessImage } from './image';
import { CorruptError } from './result';
import { decodeText } from './struct';

export async function readU64(image: ProcessImage, address: bigint): Promise<bigint> {
  const bytes = image.knownMemory?.(address, 8) ?? (await image.readMemory(address, 8));
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
}

/** An address stored at `address`; 0n for NULL. */
export const readPointer = readU64;

export async function readI32(image: ProcessImage, address: bigint): Promise<number> {
  const bytes = image.knownMemory?.(address, 4) ?? (await image.readMemory(address, 4));
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
}

/**
 * `count` 32-bit integers; of an empty array the address may be NULL. Throws CorruptError for a count outside 0..limit,
 * which `what` describes.
 */
export async function readI32Array(
  image: ProcessImage,
  address: bigint,
  count: number,
  limit: number,
  what: string,
): Promise<number[]> {
  if (boundedCount(count, limit, what) === 0) return [];
  const bytes = image.knownMemory?.(address, 4 * count) ?? (await image.readMemory(address, 4 * count));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, i) => view.getInt32(4 * i, true));
}

/** `count` addresses, with the same bound. */
export async function readPointerArray(
  image: ProcessImage,
  address: bigint,
  count: number,
  limit: number,
  what: string,
): Promise<bigint[]> {
  if (boundedCount(count, limit, what) === 0) return [];
  const bytes = image.knownMemory?.(address, 8 * count) ?? (await image.readMemory(address, 8 * count));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, i) => view.getBigUint64(8 * i, true));
}

/** A count read from the process, when it is plausible. Throws CorruptError otherwise. */
export function boundedCount(count: number, limit: number, what: string): number {
  if (!Number.isInteger(count) || count < 0 || count > limit)
    throw new CorruptError(`${what} is ${count}, which is not plausible`);
  return count;
}

/** A NUL-terminated text of at most `limit` bytes; reads no page behind the NUL. */
export async function readText(image: ProcessImage, address: bigint, limit: number): Promise<string> {
  return decodeText(await readTextBytes(image, address, limit));
}

/** As readText: at least all of its bytes, and the NUL where it comes within the limit. */
export async function readTextBytes(image: ProcessImage, address: bigint, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let done = 0; done < limit;) {
    const at = address + BigInt(done);
    const toBlockEnd = 64 - Number(at % 64n);
    const length = Math.min(toBlockEnd, limit - done);
    const part = image.knownMemory?.(at, length) ?? (await image.readMemory(at, length));
    parts.push(part);
    done += part.length;
    if (part.includes(0)) break;
  }
  return concat(parts);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * The nodes of a linked list from `first` until `next` gives undefined.
 * Throws CorruptError on a cycle and beyond `limit` nodes; what was reached until then has been yielded.
 */
export async function* walkList<T>(
  first: bigint | undefined,
  read: (address: bigint) => Promise<T>,
  next: (node: T) => bigint | undefined,
  limit: number,
  what: string,
): AsyncGenerator<T> {
  const seen = new Set<bigint>();
  for (let address = first; address !== undefined;) {
    if (seen.has(address)) throw new CorruptError(`${what} is circular at 0x${address.toString(16)}`);
    if (seen.size >= limit) throw new CorruptError(`${what} has more than ${limit} elements`);
    seen.add(address);
    const node = await read(address);
    yield node;
    address = next(node);
  }
}
