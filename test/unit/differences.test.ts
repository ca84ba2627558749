/** Which variables of a function differ between ranks, and in what order they are listed. */
import assert from 'node:assert/strict';
import { valueOf } from '../../adapter/gdb/mi/value';
import { differencesOf, type RankVariables } from '../../adapter/query/across-ranks/differences';

const rank = (number: number, values: Record<string, string>): RankVariables => ({
  rank: { rank: number },
  variables: Object.entries(values).map(([name, text]) => ({ name, text, value: valueOf(text) })),
});

describe('the differences between ranks', () => {
  it('begin with what is no number, then whom most disagree with, then by how far the values are apart', () => {
    const { variables, alike } = differencesOf([
      rank(0, { size: '4', near: '1.00', far: '0', odd: '7', bad: '1' }),
      rank(1, { size: '4', near: '1.01', far: '10', odd: '7', bad: 'nan(0x8000000000000)' }),
      rank(2, { size: '4', near: '1.02', far: '20', odd: '8', bad: '2' }),
      rank(3, { size: '4', near: '1.03', far: '30', odd: '7', bad: '3' }),
    ]);
    assert.deepEqual(
      variables.map(({ expression, differ }) => [expression, differ]),
      [
        ['bad', undefined],
        ['odd', '2'],
        ['far', undefined],
        ['near', undefined],
      ],
    );
    assert.deepEqual(alike, ['size']);
    assert.equal(variables[0]?.nan, '1');
  });

  it('compare a variable among the ranks that have it', () => {
    const { variables, alike } = differencesOf([rank(0, { turn: '1' }), rank(1, {}), rank(2, { turn: '2' })]);
    assert.deepEqual(
      variables.map(({ values }) => values),
      [
        [
          { ranks: '0', text: '1' },
          { ranks: '2', text: '2' },
        ],
      ],
    );
    assert.deepEqual(alike, []);
  });

  it('do not compare variables of one name in different blocks', () => {
    const inBlock = (number: number, text: string, declared: string): RankVariables => ({
      rank: { rank: number },
      variables: [{ name: 'turn', text, value: valueOf(text), declared }],
    });
    const apart = differencesOf([inBlock(0, '1', 'a.c:4'), inBlock(1, '2', 'a.c:9'), inBlock(2, '2', 'a.c:9')]);
    assert.deepEqual(apart, { variables: [], alike: ['turn'] });
    const { variables } = differencesOf([inBlock(0, '1', 'a.c:4'), inBlock(1, '2', 'a.c:9'), inBlock(2, '3', 'a.c:9')]);
    assert.deepEqual(
      variables.map(({ values }) => values.map(({ ranks }) => ranks)),
      [['1', '2']],
    );
  });
});
