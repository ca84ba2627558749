/** What a floating point operation that ends a rank was about to compute. */
import type { FloatKind } from '../../../plugin-api/deaths/death';
import { describeTrap } from '../../gdb/float-control';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import type { RankStop } from '../../job/rank-stops';
import type { RankDeath } from '../../../plugin-api/deaths/rank-death';

/**
 * The rank, which gdb holds, waits with its end: let go, it comes to the instruction once more, which gdb sees. It is stopped then, and about to
 * die. `untold`: why nothing can be said of the instruction.
 */
export async function trappedAgain(
  job: Job,
  rank: Rank,
  kind: FloatKind,
  letGo: () => void,
): Promise<Pick<RankDeath, 'trap' | 'untold'>> {
  const seen = nextTrap(job, rank);
  await job.continue([rank]);
  letGo();
  const stop = await seen;
  if (stop === undefined) return { untold: 'the rank has ended before it was read' };
  try {
    return { trap: await describeTrap(stop.thread, kind, job.plugins.libraryCode) };
  } catch (error) {
    if (error instanceof GdbError) return { untold: error.message };
    throw error;
  }
}

/** undefined: the rank has ended. What it stops for meanwhile is passed over. */
function nextTrap(job: Job, rank: Rank): Promise<RankStop | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (stop: RankStop | undefined): void => {
      job.off('stopped', stopped);
      job.off('rankEnded', ended);
      resolve(stop);
    };
    const stopped = (stop: RankStop): void => {
      if (stop.rank !== rank) return;
      if (stop.stop.signal?.name === 'SIGFPE') settle(stop);
      else job.continue([rank]).catch(reject);
    };
    const ended = (each: Rank): void => {
      if (each === rank) settle(undefined);
    };
    job.on('stopped', stopped);
    job.on('rankEnded', ended);
  });
}
