/** The end of a job's ranks, as gdb reports it. */
import type { JobHost } from '../job/job';

/** gdb reports a rank's end at about the time that the launcher ends: waits for these reports, at most two seconds. */
export function allEnded(job: JobHost): Promise<void> {
  return new Promise((resolve) => {
    // The last report resolves at once. gdb may never report the end of a rank; the session must end all the same, and two
    // seconds are far more than a report takes.
    const late = setTimeout(resolve, 2000);
    const check = (): void => {
      if (job.ranks.some((rank) => rank.alive)) return;
      clearTimeout(late);
      job.off('rankEnded', check);
      resolve();
    };
    job.on('rankEnded', check);
    check();
  });
}
