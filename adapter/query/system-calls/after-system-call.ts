/** Whether a thread is in a system call. */
import type { ProcessImage } from '../../../plugin-api/image';
import { guard } from '../../../plugin-api/result';

/** x86-64's. */
const systemCall = Buffer.from([0x0f, 0x05]);

/** `address`: where the thread stands. On other processors it seems to be in none. */
export async function isAfterSystemCall(address: bigint, image: ProcessImage): Promise<boolean> {
  const before = await guard(() => image.readMemory(address - BigInt(systemCall.length), systemCall.length));
  return before.ok && systemCall.equals(before.value);
}
