/** Where functions begin and end, also those without a symbol: what every library keeps to unwind its stacks. */
import type { Module, ProcessImage } from '../../plugin-api/image';
import { FaultError } from '../../plugin-api/result';

/** Addresses in the process; `end` is behind the last byte. */
export interface FunctionBounds {
  start: bigint;
  end: bigint;
}

const PT_GNU_EH_FRAME = 0x6474e550;
const programHeaderSize = 56;
const maxProgramHeaders = 100;
/** DW_EH_PE_datarel | DW_EH_PE_sdata4, DW_EH_PE_udata4: what every linker writes. */
const tableEncoding = 0x3b;
const countEncoding = 0x03;
const headerSize = 12;
const entrySize = 8;

/**
 * The piece of code around an address. Of a function that the compiler has split, each part is one. undefined: there is no such
 * information, or not in the usual form. Rejects as ProcessImage.readMemory does.
 */
export async function functionAt(
  image: ProcessImage,
  module: Module,
  address: bigint,
): Promise<FunctionBounds | undefined> {
  const header = await unwindHeader(image, module);
  if (header === undefined) return undefined;
  const view = viewOf(await image.readMemory(header, headerSize));
  if (view.getUint8(0) !== 1 || view.getUint8(2) !== countEncoding || view.getUint8(3) !== tableEncoding)
    return undefined;
  const count = view.getUint32(8, true);
  const entry = async (index: number): Promise<{ start: bigint; description: bigint }> => {
    const bytes = viewOf(await image.readMemory(header + BigInt(headerSize + index * entrySize), entrySize));
    return { start: header + BigInt(bytes.getInt32(0, true)), description: header + BigInt(bytes.getInt32(4, true)) };
  };
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await entry(middle)).start <= address) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return undefined;
  const { start, description } = await entry(low - 1);
  // The start is told a second time, relative to itself; in another form it is not told so.
  const bytes = viewOf(await image.readMemory(description, 16));
  if (description + 8n + BigInt(bytes.getInt32(8, true)) !== start) return undefined;
  const end = start + BigInt(bytes.getUint32(12, true));
  return address < end ? { start, end } : undefined;
}

async function unwindHeader(image: ProcessImage, { bias, segments }: Module): Promise<bigint | undefined> {
  const first = segments.reduce<bigint | undefined>(
    (lowest, { address }) => (lowest === undefined || address < lowest ? address : lowest),
    undefined,
  );
  if (first === undefined) return undefined;
  const page = first - (first % 4096n);
  try {
    const file = viewOf(await image.readMemory(page, 64));
    if (file.getUint32(0) !== 0x7f454c46) return undefined;
    const count = Math.min(file.getUint16(56, true), maxProgramHeaders);
    const headers = viewOf(await image.readMemory(page + file.getBigUint64(32, true), count * programHeaderSize));
    for (let at = 0; at < count * programHeaderSize; at += programHeaderSize)
      if (headers.getUint32(at, true) === PT_GNU_EH_FRAME) return bias + headers.getBigUint64(at + 16, true);
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) return undefined;
    throw error;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
