/** Has a rank's collector change a variable of MPI_T. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { VariableChange, VariableChangeAnswer } from '../../../plugin-api/overlays/records';
import { answerTo, writesFor } from '../../../plugin-api/overlays/variable-changes';
import { guard } from '../../../plugin-api/result';
import { dataWriteMemoryBytes } from '../../gdb/mi/data-manipulation';
import { canBeRead, type Rank } from '../../job/rank';
import { memoryOf } from '../rank-images';

/** The longest period of the collector, and some time to be scheduled. */
const maxWaitMs = 12_000;

/** `error`: why it was not done. A rank that does not run does it when it goes on. */
export async function setVariable(rank: Rank, change: VariableChange): Promise<VariableChangeAnswer> {
  const [thread] = rank.threads;
  if (rank.core !== undefined || thread === undefined) return { done: false, error: `${rank.label} is not running` };
  const image = memoryOf(rank);
  const changed = await guard(async () => {
    for (const { address, bytes } of await writesFor(image, change)) await dataWriteMemoryBytes(thread, address, bytes);
    if (canBeRead(rank)) return { done: false, error: 'stopped: takes effect when the rank goes on' };
    for (const end = performance.now() + maxWaitMs; performance.now() < end; await sleep(20)) {
      const answer = await answerTo(image, change);
      if (answer !== undefined) return answer;
    }
    return { done: false, error: 'the collector has not answered: its thread does not run' };
  });
  if (!canBeRead(rank)) image.invalidate();
  return changed.ok ? changed.value : { done: false, error: changed.reason };
}
