/** The stacks of all ranks as one tree. */
import { stacksText } from '../../plugin-api/answers/text/stacks-text';
import type { StacksDocument } from '../../plugin-api/mpi/records';
import { canBeRead } from '../job/rank';
import { learnAllRoles } from '../job/thread-role';
import { flag, optional } from './argument-checks';
import type { Question } from './question';

export interface StacksArguments {
  /** Also below MPI calls. */
  full?: boolean;
  /** false: without the MPI library's own threads. People see them with `full` only. */
  helperThreads?: boolean;
}

export const stacks: Question<StacksArguments, StacksDocument> = {
  arguments: { full: optional(flag), helperThreads: optional(flag) },
  async answer({ full = false, helperThreads = true }, { job, queries, ranks, isForPrograms }) {
    const extent = full ? 'all' : 'calls';
    if (isForPrograms) {
      const document = await queries.stacks(ranks, extent, helperThreads);
      return { document, notEvaluated: [], text: () => stacksText(document) };
    }
    if (!full) await learnAllRoles(ranks.filter(canBeRead), job.plugins.known);
    const [document, died] = await Promise.all([
      full ? queries.stacks(ranks, extent) : queries.stacks(ranks, 'program', false),
      queries.crashes(ranks),
    ]);
    const helpers = ranks.flatMap(({ threads }) => threads.filter(({ role }) => role?.helperOf !== undefined));
    return { document, notEvaluated: [], text: () => stacksText(document, died, full ? 0 : helpers.length) };
  },
};
