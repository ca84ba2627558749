/** Whether a thread is in a system call. */
import type { ProcessImage } from '../../../plugin-api/image';
import { usualProcessor } from '../../../plugin-api/processor/known/processors';
import { guard } from '../../../plugin-api/result';

const systemCall = Buffer.from(usualProcessor.systemCallInstruction);

/** `address`: where the thread stands. On other processors it seems to be in none. */
export async function isAfterSystemCall(address: bigint, image: ProcessImage): Promise<boolean> {
  const before = await guard(() => image.readMemory(address - BigInt(systemCall.length), systemCall.length));
  return before.ok && systemCall.equals(before.value);
}
