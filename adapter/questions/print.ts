/** The values of expressions in each rank, and who differs. */
import { valuesText } from '../../plugin-api/answers/text/values-text';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { ValueQueries, type AnswersSoFar } from '../query/shown/value-queries';
import { expressionsArgument } from './expressions-argument';
import type { Answered, Asked, Question } from './question';

interface PrintArguments {
  expressions: readonly string[];
}

export const print: Question<PrintArguments, ValuesDocument> = {
  arguments: { expressions: expressionsArgument },
  example: 'rank',
  ofWords: (words) => ({ expressions: [words] }),
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

/** Before the ranks are let go: those that have not answered would give that as their reason. */
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
