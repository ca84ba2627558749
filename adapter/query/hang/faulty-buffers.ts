/** Pending operations whose buffers have something wrong with them, for a verdict: without a debugger, and without names of variables. */
import type { MpiProcess } from '../../../plugin-api/mpi/plugin';
import type { RequestInfo } from '../../../plugin-api/mpi/records';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary } from '../../expressions/frames';
import type { EpochImage } from '../../images/epoch-image';
import type { Rank } from '../../job/rank';
import { pendingBytes, sharersOf, type AskHandle } from '../buffers/byte-ranges';
import { mappedBy } from '../buffers/mapped-areas';
import { MemoryFaults, type UsedStack } from '../buffers/memory-faults';
import { answerOf } from '../list-handles';
import type { StoppedThread } from '../positions/positions';

interface FaultSources {
  rank: Pick<Rank, 'image' | 'process'>;
  image: EpochImage;
  /** undefined: there is none, and no request of it either. */
  mpi: MpiProcess | undefined;
  code: ProcessCode;
  threads: readonly StoppedThread[];
}

/** The same requests, with what is wrong with the buffers of those that are pending. */
export async function withBufferFaults(
  requests: readonly RequestInfo[],
  { rank, image, mpi, code, threads }: FaultSources,
): Promise<readonly RequestInfo[]> {
  if (mpi === undefined) return requests;
  const ask: AskHandle = (kind, handle) => answerOf(mpi, kind, handle);
  const pending = await pendingBytes(requests, ask);
  const mapped = pending.length === 0 ? undefined : await mappedBy(rank);
  let stacks: Promise<UsedStack[]> | undefined;
  const memory = mapped && new MemoryFaults(image, mapped, () => (stacks ??= usedStacks(threads, code)));
  const found = new Map<string, RequestInfo>();
  for (const { info, range } of pending) {
    const faults = [...((await memory?.of(info, range)) ?? []), ...sharersOf(info, range, pending)];
    if (faults.length > 0) found.set(info.handle, { ...info, bufferPlace: { faults } });
  }
  return requests.map((info) => found.get(info.handle) ?? info);
}

/** The first thread's first. */
async function usedStacks(threads: readonly StoppedThread[], code: ProcessCode): Promise<UsedStack[]> {
  const used = threads.map(async ({ thread, role, stack }) => {
    if (thread > 1 && role?.helperOf !== undefined) return [];
    const { frames, registers } = await stack();
    const inner = frames.find((frame) => {
      const module = moduleOf(frame, code);
      return module !== undefined && !isSystemLibrary(module.path, code.mpis);
    });
    const pointer = inner && (await registers(inner.level))?.stackPointer;
    return pointer === undefined ? [] : [{ isFirst: thread === 1, pointer }];
  });
  return (await Promise.all(used)).flat();
}
