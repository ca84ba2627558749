/** The end of a job's ranks, as gdb reports it. */
import { inTime, realClock } from '../job/clock';
import type { JobHost } from '../job/job';

/** Milliseconds: far more than a report takes. */
const maxReports = 2000;

/** gdb reports a rank's end at about the time that the launcher ends. Resolves with the last of these reports, or without those that never come. */
export function allEnded(job: JobHost): Promise<void> {
  const last = new Promise<void>((resolve) => {
    const check = (): void => {
      if (job.ranks.some((rank) => rank.alive)) return;
      job.off('rankEnded', check);
      resolve();
    };
    job.on('rankEnded', check);
    check();
  });
  return inTime(realClock, last, maxReports);
}
