/** Where functions begin and end, also those without a symbol: what every library keeps to unwind its stacks. */
import type { Module, ProcessImage } from '../../image';
import { loadHeaders, viewOf } from './load-headers';

/** Addresses in the process; `end` is behind the last byte. */
export interface FunctionBounds {
  start: bigint;
  end: bigint;
}

const PT_GNU_EH_FRAME = 0x6474e550;
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
  const entry = await unwindEntry(image, module, address);
  if (entry === undefined) return undefined;
  const { start, description } = entry;
  // The entry repeats the start, relative to the field's own address. If the two differ, it is stored in another form.
  const bytes = viewOf(await image.readMemory(description, 16));
  if (description + 8n + BigInt(bytes.getInt32(8, true)) !== start) return undefined;
  const end = start + BigInt(bytes.getUint32(12, true));
  return address < end ? { start, end } : undefined;
}

/** Where the last function that begins before the address, or at it, begins, and where its entry in .eh_frame is. See functionAt. */
export async function unwindEntry(
  image: ProcessImage,
  module: Module,
  address: bigint,
): Promise<{ start: bigint; description: bigint } | undefined> {
  const header = (await loadHeaders(image, module)).find(({ type }) => type === PT_GNU_EH_FRAME)?.address;
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
  return low === 0 ? undefined : entry(low - 1);
}
