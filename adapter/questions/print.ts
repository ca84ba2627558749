/** The values of expressions in each rank, and who differs. */
import { valuesText } from '../../plugin-api/answers/text/values-text';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { ValueQueries, type AnswersSoFar } from '../query/shown/value-queries';
import { aboutExpressions, type ExpressionsArguments } from './expressions-argument';
import type { Answered, Asked, Question } from './question';

export const print: Question<ExpressionsArguments, ValuesDocument> = {
  ...aboutExpressions,
  example: 'rank',
  async answer({ expressions }, asked) {
    const values = new ValueQueries(asked.queries, asked.values);
    const soFar: AnswersSoFar = new Map();
    keepWhenLate(asked, (why) => {
      const known = values.partialDocument(asked.ranks, expressions, soFar, why);
      return known && answeredBy({ document: known, notEvaluated: [] });
    });
    return answeredBy(await values.document(asked.ranks, expressions, asked.where, soFar));
  },
};

/** Keeps the answer before the ranks are released, which would otherwise be the reason that missing ranks give. */
function keepWhenLate({ signal, whenLate }: Asked, known: (why: string) => Answered<ValuesDocument> | undefined): void {
  const keep = (): void => {
    const answered = whenLate && known(whenLate.why);
    if (answered !== undefined) whenLate?.keep(answered);
  };
  signal?.addEventListener('abort', keep, { once: true });
}

function answeredBy({ document, notEvaluated }: Omit<Answered<ValuesDocument>, 'text'>): Answered<ValuesDocument> {
  return {
    ...{ document, notEvaluated },
    text: ({ leftOut, ...extent }) => {
      const told = document.expressions.filter(({ expression }) => leftOut?.has(expression) !== true);
      return valuesText({ ...document, expressions: told }, extent);
    },
  };
}
