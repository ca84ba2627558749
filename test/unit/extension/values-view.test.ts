import assert from 'node:assert/strict';
import type { ValueOverRanks } from '../../../plugin-api/answers/value-over-ranks';
import type * as ValuesView from '../../../extension/views/values-view';
import { loadWithEditor } from '../../support/with-editor';

describe('the row of a value over ranks', () => {
  const { valueRow } = loadWithEditor<typeof ValuesView>('views/values-view');
  const described = (rest: Partial<ValueOverRanks>, ...values: [ranks: string, text: string][]): string | undefined =>
    valueRow(
      {
        expression: 'tag',
        values: values.map(([ranks, text]) => ({ ranks, text })),
        minimum: { ranks: '0', text: '30' },
        maximum: { ranks: '1', text: '130' },
        errors: [],
        ...rest,
      },
      'difference',
    ).description;

  it('tells two or three values, that of the fewest ranks first', () => {
    assert.equal(described({}, ['0,2-3', '30'], ['1', '130']), '130 in rank 1 · 30 in ranks 0,2-3');
    assert.equal(
      described({}, ['0,2', '30'], ['1', '130'], ['3', '40']),
      '130 in rank 1 · 40 in rank 3 · 30 in ranks 0,2',
    );
    assert.equal(described({}, ['0', '30'], ['1', '130']), '30 in rank 0 · 130 in rank 1');
  });

  it('tells the least and the greatest of more, of one for each rank, and of those that are no numbers', () => {
    const range = '30 … 130';
    assert.equal(described({}, ['0,4', '30'], ['1', '130'], ['2', '40'], ['3', '50']), range);
    assert.equal(described({}, ['0', '30'], ['1', '130'], ['2', '40']), range);
    assert.equal(described({ nan: '3' }, ['0,2', '30'], ['1', '130'], ['3', 'nan']), `${range} · not a number in 3`);
    assert.equal(described({}, ['0,2', '30'], ['1', '1'.repeat(40)], ['3', '40']), range);
  });
});
