/** Live charts: which numbers are taken of a variable, and what is drawn of them. */
import assert from 'node:assert/strict';
import type { OverlayDocument, Pvar } from '../../../plugin-api/overlays/records';
import { ChartHistory } from '../../../extension/charts/chart-history';
import { chartedVariable, samplesOf } from '../../../extension/charts/pvar-samples';
import { loneValues, valueText } from '../../../extension/charts/line-values';
import { RankBand } from '../../../extension/charts/rank-band';

const pvar = (fields: Partial<Pvar>): Pvar =>
  ({ name: 'length', class: 'SIZE', datatype: 'MPI_UNSIGNED', description: '', instances: [], ...fields }) as Pvar;

const documentOf = (...pvars: Pvar[]): OverlayDocument =>
  ({
    ranks: pvars.map((each, rank) => ({ rank, host: 'a', collector: {}, pvars: [each] })),
  }) as unknown as OverlayDocument;

const instance = (values: (number | string)[], name?: string, rest = {}): Pvar['instances'][number] => ({
  ...{ started: true, count: values.length, values, time: 1 },
  ...(name === undefined ? {} : { object: { kind: 'comm', handle: '0x1', name } }),
  ...rest,
});

describe('the numbers of a chart', () => {
  it('are one for each rank: over all objects, and of each', () => {
    const all = [
      instance([1, 2], 'ocean'),
      instance([0, 4], ''),
      instance([100], 'freed', { objectFreed: true }),
      instance([], 'odd', { values: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'denied' } }),
    ];
    assert.deepEqual(samplesOf(documentOf(pvar({ instances: all })), { name: 'length', class: 'SIZE' }), [
      { rank: '0', time: 1, values: { '': 7, ocean: 3, 'without a name': 4 } },
    ]);
  });

  it('are told apart by the worlds of the ranks', () => {
    const document = documentOf(pvar({ instances: [instance([1])] }), pvar({ instances: [instance([2])] }));
    const ranks = document.ranks.map((rank, index) => ({ ...rank, rank: 10, world: ['0', '0.1'][index]! }));
    const samples = samplesOf({ ...document, ranks }, { name: 'length', class: 'SIZE' });
    const history = new ChartHistory();
    history.add(0, samples.toReversed());
    history.add(1, [{ rank: '2', values: { '': 3 } }]);
    assert.deepEqual(history.ranksOf(''), ['2', '10', '0.1:10']);
    assert.deepEqual(
      history.ranksOf('').map((rank) => history.valuesOf('', rank, 'total')),
      [
        [null, 3],
        [1, null],
        [2, null],
      ],
    );
  });

  it('of several values are what their class makes of them', () => {
    const value = (itsClass: Pvar['class']): number | undefined =>
      samplesOf(documentOf(pvar({ class: itsClass, instances: [instance([3, '40', 2])] })), {
        ...{ name: 'length', class: itsClass },
      })[0]?.values[''];
    assert.deepEqual([value('HIGHWATERMARK'), value('LOWWATERMARK'), value('STATE'), value('COUNTER')], [40, 2, 3, 45]);
  });

  it('are none where the variable is another one of the same name', () => {
    assert.deepEqual(
      samplesOf(documentOf(pvar({ class: 'COUNTER', instances: [instance([1])] })), { name: 'length', class: 'SIZE' }),
      [],
    );
  });

  it('have their class and unit in words', () => {
    assert.deepEqual(
      [pvar({ class: 'TIMER', datatype: 'MPI_DOUBLE' }), pvar({ class: 'PERCENTAGE' }), pvar({ class: 'COUNTER' })]
        .map(chartedVariable)
        .map(({ words, isCounter }) => [words, isCounter]),
      [
        ['timer, seconds', true],
        ['percentage in use, from 0 to 1', false],
        ['counter', true],
      ],
    );
  });
});

describe('the history of a chart', () => {
  const add = (history: ChartHistory, at: number, values: Record<number, [time: number, value: number]>): void =>
    history.add(
      at,
      Object.entries(values).map(([rank, [time, value]]) => ({ rank, time, values: { '': value } })),
    );

  it('has rates by the clock of each rank, and holes where nothing is known', () => {
    const history = new ChartHistory();
    add(history, 0, { 0: [10, 5] });
    add(history, 1, { 0: [10.5, 10], 1: [3, 1] });
    // Rank 0 has not read it again, rank 1 has begun anew.
    add(history, 2, { 0: [10.5, 10], 1: [4, 0] });
    history.break();
    add(history, 9, { 0: [20, 11] });
    assert.deepEqual(history.times, [0, 1, 2, 2, 9]);
    assert.deepEqual(history.valuesOf('', '0', 'total'), [5, 10, 10, null, 11]);
    assert.deepEqual(history.valuesOf('', '0', 'rate'), [null, 10, 10, null, null]);
    assert.deepEqual(history.valuesOf('', '1', 'total'), [null, 1, 0, null, null]);
    assert.deepEqual(history.valuesOf('', '1', 'rate'), [null, null, null, null, null]);
  });

  it('keeps the last minute, and its band with it', () => {
    const history = new ChartHistory();
    const band = new RankBand(history, '', 'total');
    for (let i = 0; i < 1000; i++) {
      add(history, i / 10, { 0: [i, i], 1: [i, 2 * i] });
      band.trim(history.trim());
      band.extend();
    }
    assert.ok(history.times.length >= 600 && history.times.length <= 700, String(history.times.length));
    assert.equal(history.valuesOf('', '1', 'total').length, history.times.length);
    assert.deepEqual([band.min.at(-1), band.max.at(-1), band.min.length], [999, 1998, history.times.length]);
  });
});

describe('the lines of a chart', () => {
  it('are dots where a value is alone, however often a stopped job was asked', () => {
    assert.deepEqual(loneValues([0], [5]), [0]);
    assert.deepEqual(loneValues([0, 0, 0], [5, 5, 5]), [2]);
    assert.deepEqual(loneValues([0, 1, 2, 2, 3], [null, 7, null, 8, 9]), [1]);
    assert.deepEqual(loneValues([0, 1], [5, 6]), []);
  });

  it('have the total beside them until a rate is known', () => {
    const history = new ChartHistory();
    history.add(0, [{ rank: '0', time: 1, values: { '': 40 } }]);
    history.add(1, [{ rank: '0', time: 2, values: { '': 42 } }]);
    const line = { values: history.valuesOf('', '0', 'rate'), totals: history.valuesOf('', '0', 'total') };
    assert.deepEqual(
      [0, 1].map((index) => valueText(line, index, 'rate')),
      ['no rate yet, total 40', '2 per second'],
    );
    assert.equal(valueText({ values: line.totals }, 0, 'total'), '40');
    assert.equal(valueText({ values: [null] }, 0, 'total'), 'unknown');
  });
});

describe('the band of many ranks', () => {
  it('has the least, the middle and the greatest value, and names those that are far from the middle', () => {
    const history = new ChartHistory();
    for (let i = 0; i < 10; i++)
      history.add(
        i,
        Array.from({ length: 64 }, (_, rank) => ({
          rank: String(rank),
          values: { '': rank === 7 ? 500 : 100 + (rank % 4) },
        })),
      );
    const band = new RankBand(history, '', 'total');
    assert.deepEqual([band.min[0], band.median[0], band.max[0]], [100, 102, 500]);
    assert.deepEqual(band.outliers(), ['7']);
  });
});
