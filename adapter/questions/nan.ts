/** In which variables there is a NaN or an infinity. */
import type { NanDocument } from '../../plugin-api/answers/nan-records';
import { nanText } from '../../plugin-api/answers/text/nan-text';
import { canBeRead } from '../job/rank';
import { learnAllRoles } from '../job/thread-role';
import { NanQueries } from '../query/nan/nan-queries';
import { listOf } from './argument-checks';
import { expression } from './expressions-argument';
import type { Question } from './question';

interface NanArguments {
  /** None: all variables of the program's frames, and its global ones. */
  expressions: readonly string[];
}

export const nan: Question<NanArguments, NanDocument> = {
  arguments: { expressions: listOf(expression) },
  async answer({ expressions }, asked) {
    const { job, ranks, where, signal, onProgress } = asked;
    if (expressions.length === 0) await learnAllRoles(ranks.filter(canBeRead), job.plugins.known);
    const searched = new NanQueries(asked.queries, asked.values);
    const { document, notEvaluated } = await searched.document({ ranks, expressions, where, signal, onProgress });
    return {
      ...{ document, notEvaluated },
      text: ({ full, leftOut }) => {
        const notLookedAt = document.notLookedAt.filter(({ expression: each }) => leftOut?.has(each) !== true);
        return nanText({ ...document, notLookedAt }, full);
      },
    };
  },
};
