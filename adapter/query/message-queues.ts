/** The message queues of a job. */
import { queuesByComm } from '../../plugin-api/mpi/queues-by-comm';
import type { DescribedQueues } from '../../plugin-api/mpi/queue-records';
import { QueryError } from '../../plugin-api/result';
import type { Rank } from '../job/rank';
import type { JobQueries } from './job-queries';
import { targetOf } from './rank-ids';

/** `internal`: the library's own messages and communicators too. */
export async function messageQueues(
  queries: JobQueries,
  ranks: readonly Rank[],
  internal: boolean,
): Promise<DescribedQueues> {
  const answered = await queries.ofEach(ranks, async (ofRank) => {
    const process = await ofRank.mpi();
    if (process !== undefined) return queuesByComm(process, internal);
    const { code, reason } = await ofRank.noMpi();
    throw new QueryError(code, reason);
  });
  return {
    document: {
      schema: 'mpidbg/1',
      target: targetOf(ranks),
      ranks: answered.map((rank) => {
        if ('error' in rank) return rank;
        const { comms, notes, ...id } = rank;
        return { ...id, comms: comms.map(({ queues }) => queues), ...(notes.length === 0 ? {} : { notes }) };
      }),
    },
    comms: answered.map((rank) => ('error' in rank ? [] : rank.comms.map(({ info }) => info))),
  };
}
