/** What thread names say about OpenMP at a stop, if OpenMP is collected. */
import type { RankThread } from '../../job/rank';
import type { JobQueries } from '../../query/job-queries';
import { openMpWords } from '../../../plugin-api/answers/text/openmp-doing';

/** "OpenMP 3 waiting in the barrier for 0-2"; undefined: OpenMP tells nothing about the thread. */
export async function openMpNote(queries: JobQueries, thread: RankThread): Promise<string | undefined> {
  const threads = await queries.openMpThreads(thread.rank);
  const told = threads.get(thread);
  return told === undefined ? undefined : openMpWords(told, [...threads.values()]);
}

/** The same, after the MPI call that the thread is in. */
export async function openMpNotes(queries: JobQueries, thread: RankThread): Promise<string[]> {
  const note = await openMpNote(queries, thread);
  if (note === undefined) return [];
  const place = await queries.whereabouts(thread.rank, thread);
  return place?.isMpiCall === true ? [place.name, note] : [note];
}
