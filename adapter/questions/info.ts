/** Program, ranks, MPI library, and what cannot be decoded. */
import { infoText, type JobFacts } from '../../plugin-api/answers/text/info-text';
import type { Answer, CommInfo, Document, RankId } from '../../plugin-api/mpi/records';
import type { Rank } from '../job/rank';
import { commandLineOf } from '../query/command-line';
import type { JobQueries } from '../query/job-queries';
import { rankId } from '../query/rank-ids';
import type { Question } from './question';

export const info: Question<object, Document> = {
  arguments: {},
  async answer(_, { job: { plugins }, queries, ranks }) {
    const [document, alone, commands] = await Promise.all([
      queries.info(ranks),
      ranksAlone(queries, ranks),
      Promise.all(ranks.map(async (rank) => [idText(rankId(rank)), await commandLineOf(rank)] as const)),
    ]);
    const byRank = new Map(commands);
    const facts: JobFacts = {
      command: (rank) => byRank.get(idText(rank)),
      title: (name) => plugins.known.named(name)?.title ?? name,
      worldSize: new Set(ranks.map(({ world }) => world)).size > 1 ? undefined : ranks[0]?.worldSize,
      alone,
    };
    return { document, notEvaluated: [], text: ({ full }) => infoText(document, facts, full) };
  },
};

/** Their launcher has numbered them as ranks of one job, and MPI has not. */
async function ranksAlone(queries: JobQueries, ranks: readonly Rank[]): Promise<RankId[]> {
  const launched = ranks.filter(({ worldSize }) => (worldSize ?? 1) > 1);
  if (launched.length === 0) return [];
  const { ranks: answered } = await queries.handles(launched, ['comm'], false);
  return answered.filter((rank) => 'answers' in rank && rank.answers.some(isWorldOfOne));
}

function isWorldOfOne(answer: Answer): boolean {
  if (answer.code !== 'MPIDBG_SUCCESS' || answer.kind !== 'comm') return false;
  const { constant, name, size } = answer.info as CommInfo;
  return (constant ?? name) === 'MPI_COMM_WORLD' && size === 1;
}

/** No two processes of a job have the same. */
function idText({ host, pid, core }: RankId): string {
  return core ?? `${pid} ${host}`;
}
