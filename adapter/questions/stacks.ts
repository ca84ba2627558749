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
  /** From main, or the function of a thread, to the first call of MPI or of another library, as people see them without `full`. */
  program?: boolean;
  /** false: without the MPI library's own threads. People see them with `full` only. */
  helperThreads?: boolean;
}

export const stacks: Question<StacksArguments, StacksDocument> = {
  arguments: { full: optional(flag), program: optional(flag), helperThreads: optional(flag) },
  async answer({ full = false, program = false, helperThreads = true }, { job, queries, ranks, isForPrograms }) {
    if (isForPrograms) {
      const extent = full ? 'all' : program ? 'program' : 'calls';
      const document = await queries.stacks(ranks, extent, helperThreads);
      return { document, notEvaluated: [], text: () => stacksText(document) };
    }
    if (!full) await learnAllRoles(ranks.filter(canBeRead), job.plugins.known);
    const [document, died] = await Promise.all([
      full ? queries.stacks(ranks, 'all') : queries.stacks(ranks, 'program', false),
      queries.crashes(ranks),
    ]);
    const helpers = ranks.flatMap(({ threads }) => threads.filter(({ role }) => role?.helperOf !== undefined));
    return { document, notEvaluated: [], text: () => stacksText(document, died, full ? 0 : helpers.length) };
  },
};
