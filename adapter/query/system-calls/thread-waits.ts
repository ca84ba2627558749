/** What a stopped thread outside MPI waits for. */
import type { SystemWait } from '../../../plugin-api/hang/position';
import type { Frame } from '../../stacks/frame';
import { listThreads } from '../../gdb/mi/thread-commands';
import type { ProcessImage } from '../../../plugin-api/image';
import type { RankThread } from '../../job/rank';
import { isAfterSystemCall } from './after-system-call';
import { systemWaitOf } from './system-waits';

/**
 * `frames`: of this thread, the innermost first. undefined: it computes, or what it waits for cannot be told. Rejects with GdbError.
 */
export async function threadWait(
  { rank, gdb, gdbThread }: RankThread,
  frames: readonly Frame[],
  image: ProcessImage,
): Promise<SystemWait | undefined> {
  const { address, function: name } = frames[0] ?? {};
  if (rank.process === undefined || address === undefined) return undefined;
  if (!(await isAfterSystemCall(address, image))) return undefined;
  const tid = (await listThreads(gdb)).get(gdbThread)?.tid;
  return tid === undefined ? undefined : systemWaitOf(rank.process, tid, image, name);
}
