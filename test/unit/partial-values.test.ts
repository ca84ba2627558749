/** What `print` tells when its time is up before all ranks have answered. */
import assert from 'node:assert/strict';
import type { Rank } from '../../adapter/job/rank';
import type { JobQueries } from '../../adapter/query/job-queries';
import type { ExpressionValues } from '../../adapter/query/shown/expression-values';
import { ValueQueries, type AnswersSoFar } from '../../adapter/query/shown/value-queries';

const ranks = [0, 1].map((number) => ({ number, state: 'stopped' }) as unknown as Rank);
const idOf = ({ number }: Rank) => ({ rank: number, host: 'node1', pid: 100 + number! });
const queries = { idOf, absentAmong: () => [], unopened: () => [] } as unknown as JobQueries;
const asking = new ValueQueries(queries, {} as ExpressionValues);
const late = 'not evaluated within 5 seconds';

/** An answer that was evaluated in this function. */
const answer = (number: number, text: string, inFunction: string, others: object = {}) => ({
  ...{ rank: idOf(ranks[number]!), text, evaluated: true },
  at: { thread: {} as never, frame: { function: inFunction, level: 0 } as never },
  ...others,
});

describe('print, when its time is up', () => {
  const told = (soFar: AnswersSoFar) =>
    asking
      .partialDocument(ranks, [...soFar.keys(), 'last'], soFar, late)
      ?.expressions.map(({ values, errors }) => [
        ...[...values, ...errors].map((each) => `${each.ranks}: ${each.text}`),
      ]);

  it('has the answers that came, and says which ones did not', () => {
    const readDigest = () => assert.fail('the rank is gone');
    const soFar: AnswersSoFar = new Map([
      ['lap', { answers: [answer(1, '3', 'main'), answer(0, '3', 'main')], areCompared: true }],
      ['field', { answers: [answer(1, '{0…}', 'main', { readDigest })], areCompared: false }],
    ]);
    assert.deepEqual(told(soFar), [['0-1: 3'], ['1: {0…}', `0: ${late}`], [`0-1: ${late}`]]);
  });

  it('compares no variables of which it is not known whether they are the same one', () => {
    const answers = [answer(0, '3', 'main'), answer(1, '3', 'work')];
    const known: AnswersSoFar = new Map([['lap', { answers: answers.slice(0, 1), areCompared: true }]]);
    known.set('step', { answers, areCompared: false });
    assert.deepEqual(told(known), [['0: 3', `1: ${late}`], [`0-1: ${late}`], [`0-1: ${late}`]]);
  });

  it('tells nothing where nothing is known', () => {
    assert.equal(told(new Map([['lap', { answers: [], areCompared: false }]])), undefined);
  });
});
