/** The message that a blocking call waits for, where nothing but the library's own request still tells of it. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { PendingMessage } from '../../../plugin-api/mpi/message-queues';
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import { FaultError, isUnavailable } from '../../../plugin-api/result';
import type { StoppedStack } from './passed-arguments';

export interface WaitedCall {
  isReceive: boolean;
  comm: string;
  /** As far as it is known what the call was given. */
  buffer: bigint;
  /** The level of its function's frame. */
  level: number;
}

const maxStackBytes = 1 << 20;

/** The only pending message that has the call's communicator and buffer, and whose request the call's own functions hold. */
export async function waitedTransfer(
  process: MpiProcess,
  stack: StoppedStack,
  call: WaitedCall,
): Promise<PendingMessage | undefined> {
  const queues = await process.messageQueues?.();
  if (queues?.ok !== true) return undefined;
  const queue = call.isReceive ? queues.value.posted : queues.value.sends;
  if (!queue.ok) return undefined;
  const buffer = `0x${call.buffer.toString(16)}`;
  const fitting = queue.value.filter(
    ({ comm, buffer: own, isInternal }) =>
      !isInternal && !isUnavailable(comm) && comm.handle === call.comm && own === buffer,
  );
  if (fitting.length === 0) return undefined;
  const held = await wordsOf(stack, call.level);
  // The message layer ucx tells requests of blocking calls apart: the program has none.
  const waited = fitting.filter(({ request }) => request === undefined || held.has(BigInt(request.handle)));
  return waited.length === 1 ? waited[0] : undefined;
}

/** What the functions inside of this frame keep in registers and on the stack. */
async function wordsOf({ registers: registersOf, image }: StoppedStack, level: number): Promise<ReadonlySet<bigint>> {
  const inside = await Promise.all(Array.from({ length: level + 1 }, (_, each) => registersOf(each)));
  const words = new Set(inside.flatMap((registers) => registers?.values ?? []).filter((value) => value !== undefined));
  const [from, to] = [inside[0]?.stackPointer, inside[level]?.stackPointer];
  if (from !== undefined && to !== undefined && from < to && to - from <= maxStackBytes)
    for (const word of await stackWords(image, from, Number(to - from))) words.add(word);
  return words;
}

async function stackWords(image: ProcessImage, from: bigint, length: number): Promise<bigint[]> {
  try {
    const bytes = await image.readMemory(from, length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: length >> 3 }, (_, i) => view.getBigUint64(8 * i, true));
  } catch (error) {
    if (error instanceof FaultError) return [];
    throw error;
  }
}
