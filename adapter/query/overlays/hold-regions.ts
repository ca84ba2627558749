/** Holds the regions of a job's collectors from when they are made, so that what a rank told can be read after it was killed. */
import type { Job } from '../../job/job';
import type { Rank } from '../../job/rank';
import { memoryOfProcess, regionOfRank } from '../rank-images';

/** A rank makes its region in MPI_Init, and nothing tells when. */
const periodMs = 1000;

/** Until the job has ended. */
export function holdRegions(job: Job): void {
  const done = new Set<Rank>();
  let look: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    look = look.then(() => holdAll(job.ranks, done)).catch(() => undefined); // the next look tells of a shortage
  }, periodMs).unref();
  job.on('ended', () => {
    clearInterval(timer);
    void look.then(() => {
      for (const rank of job.ranks) regionOfRank(rank)?.close();
    });
  });
}

/** `done`: those that are held, and those that have ended. Others may come while the job runs. */
async function holdAll(ranks: readonly Rank[], done: Set<Rank>): Promise<void> {
  for (const rank of ranks) {
    if (done.has(rank)) continue;
    const image = rank.process && memoryOfProcess(rank.process);
    try {
      if (image === undefined || !rank.alive || (await regionOfRank(rank)?.hold(image))) done.add(rank);
    } finally {
      image?.close();
    }
  }
}
