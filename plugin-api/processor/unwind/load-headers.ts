/** The program headers of a module, from its memory. */
import type { Module, ProcessImage } from '../../image';
import { FaultError } from '../../result';

const headerSize = 56;
const maxHeaders = 100;
const pageSize = 4096n;

/** `address` in the process. */
export interface LoadHeader {
  type: number;
  address: bigint;
  size: number;
}

/** Empty where they cannot be read. */
export async function loadHeaders(image: ProcessImage, { bias, segments }: Module): Promise<LoadHeader[]> {
  const [first] = segments.map(({ address }) => address).sort((a, b) => (a < b ? -1 : 1));
  if (first === undefined) return [];
  const page = first - (first % pageSize);
  try {
    const file = viewOf(await image.readMemory(page, 64));
    if (file.getUint32(0) !== 0x7f454c46) return [];
    const count = Math.min(file.getUint16(56, true), maxHeaders);
    const table = viewOf(await image.readMemory(page + file.getBigUint64(32, true), count * headerSize));
    return Array.from({ length: count }, (_, index) => ({
      type: table.getUint32(index * headerSize, true),
      address: bias + table.getBigUint64(index * headerSize + 16, true),
      size: Number(table.getBigUint64(index * headerSize + 40, true)),
    }));
  } catch (error) {
    if (error instanceof FaultError) return [];
    throw error;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
