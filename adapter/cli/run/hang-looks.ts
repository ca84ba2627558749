/** One look of `run` at the ranks below a launcher: holds them, reads where they are, and lets them go. */
import { ranksInWords } from '../../../plugin-api/mpi/rank-names';
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import { UnusableGdbError } from '../../gdb/unusable-gdb';
import { withinTime } from '../../hosts/time-limit';
import { NotStartedError } from '../../launchers/batch/batch-steps';
import { NoRanksError } from '../../launchers/launcher-tree';
import type { HeldOptions } from '../held-job';
import { withSuspension } from '../suspension';
import { JobLooks } from '../take-look';
import type { LookTurns } from './look-turns';
import type { WatchRecord } from './watch-record';

/** However many ranks there are. */
const maxSeconds = 60;

/** Milliseconds that a look which takes too long may take to release what it holds. */
const patience = 10_000;

/** It will take too long the next time, too. */
class LateLookError extends Error {}

/** `look` answers undefined where the ranks cannot be asked at the moment, or one of them is about to die. `record` learns how each other look went. `end`: of the last one. */
export function looksAt(
  options: HeldOptions,
  record: WatchRecord,
  turns: LookTurns,
  signal: AbortSignal,
): { look: () => Promise<ProcessState[] | undefined>; end: () => Promise<void> } {
  const looks = new JobLooks(options, () => record.found());
  const late = (): Error => new LateLookError(`the ranks cannot be looked at within ${maxSeconds} s`);
  const limit = { milliseconds: maxSeconds * 1000, late, patience };
  const look = async (unlessEnded: AbortSignal): Promise<ProcessState[] | undefined> => {
    try {
      const { answer } = await withinTime({ ...limit, signal: unlessEnded }, (either) =>
        withSuspension(
          () => either,
          (unlessStopped) => looks.take(unlessStopped),
        ),
      );
      const unknown = answer.find(({ error }) => error !== undefined);
      if (unknown === undefined) record.saw();
      else
        record.failed(
          `${unknown.id.rank === null ? 'rank of an unknown number' : ranksInWords([unknown.id])}: ${unknown.error}`,
        );
      return answer;
    } catch (error) {
      if (unlessEnded.aborted) return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof NotStartedError) record.waits();
      else if (error instanceof NoRanksError) record.foundNone();
      else record.failed(reason, error instanceof UnusableGdbError || error instanceof LateLookError);
      return undefined;
    }
  };
  return { look: () => turns.take(signal, look), end: () => looks.end() };
}
