/** One look of `run` at the ranks below a launcher: holds them, reads where they are, and lets them go. */
import type { ProcessState } from '../../../plugin-api/hang/job-state';
import { UnusableGdbError } from '../../gdb/gdb';
import { NoRanksError } from '../../launchers/launcher-tree';
import type { HeldOptions } from '../held-job';
import { JobLooks } from '../take-look';

/** However many ranks there are. */
const maxSeconds = 60;

export interface LookOptions extends HeldOptions {
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
  /** Why the job cannot be watched; called once. */
  onFailure: (reason: string) => void;
}

/**
 * A job that is starting or ending cannot be asked: a single failure is not reported. A job that can never be asked fails at
 * each look.
 */
export function looksAt({ signal, onFailure, ...options }: LookOptions): () => Promise<ProcessState[] | undefined> {
  const looks = new JobLooks(options);
  let failures = 0;
  return async () => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(maxSeconds * 1000)]);
    try {
      const { answer } = await looks.take(either);
      failures = 0;
      return answer;
    } catch (error) {
      if (signal.aborted || error instanceof NoRanksError) return undefined;
      failures = error instanceof UnusableGdbError ? maxFailures : failures + 1;
      if (failures === maxFailures) onFailure(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
}

/** Consecutive ones; a rank that ends while it is asked causes one. */
const maxFailures = 2;
