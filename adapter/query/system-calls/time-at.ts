/** A time that a program gives the kernel. */
import type { ProcessImage } from '../../../plugin-api/image';
import { guard } from '../../../plugin-api/result';

const nanoseconds = 1e9;

/** The timespec at an address, in seconds. undefined: it cannot be read, or is none. */
export async function timeAt(image: ProcessImage, address: bigint | undefined): Promise<number | undefined> {
  if (address === undefined) return undefined;
  const read = await guard(() => image.readMemory(address, 16));
  if (!read.ok) return undefined;
  const view = new DataView(read.value.buffer, read.value.byteOffset, 16);
  const seconds = Number(view.getBigInt64(0, true));
  const fraction = Number(view.getBigInt64(8, true)) / nanoseconds;
  return seconds < 0 || fraction < 0 || fraction >= 1 ? undefined : seconds + fraction;
}
