/** What the handles that expressions name are, in each rank. */
import { showText } from '../../plugin-api/answers/text/show-text';
import type { Document } from '../../plugin-api/mpi/records';
import { aboutExpressions, type ExpressionsArguments } from './expressions-argument';
import { withReferences } from './references';
import type { Question } from './question';

export const show: Question<ExpressionsArguments, Document> = {
  ...aboutExpressions,
  example: 'comm',
  async answer({ expressions }, asked) {
    const { document, notEvaluated } = await asked.queries.show(asked.ranks, expressions, asked.where);
    const told = asked.isForPrograms ? document : await withReferences(document, asked);
    return { document, notEvaluated, text: ({ full, leftOut }) => showText(without(told, leftOut), full) };
  },
};

function without(document: Document, leftOut: ReadonlySet<string> = new Set()): Document {
  const ranks = document.ranks.map((rank) =>
    'answers' in rank
      ? { ...rank, answers: rank.answers.filter(({ expression = '' }) => !leftOut.has(expression)) }
      : rank,
  );
  return { ...document, ranks };
}
