/** A heat map: which rows, columns and objects it has. */
import assert from 'node:assert/strict';
import { hasSeveralValues, heatMapOf } from '../../../extension/heat-map/heat-map';
import type { OverlayDocument, Pvar } from '../../../plugin-api/overlays/records';

const key = { name: 'length', class: 'SIZE' } as const;

const instance = (values: number[], name: string, rest = {}): object => ({
  ...{ started: true, count: values.length, values, object: { kind: 'comm', handle: '0x1', name } },
  ...rest,
});

const documentOf = (ranks: Record<number, object[]>): OverlayDocument =>
  ({
    ranks: Object.entries(ranks).map(([rank, instances]) => ({
      ...{ rank: Number(rank), host: 'a', collector: {} },
      pvars: [{ ...key, bind: 'COMM', description: 'messages', instances }],
    })),
  }) as unknown as OverlayDocument;

describe('a heat map', () => {
  const document = documentOf({
    0: [
      instance([0, 3], 'MPI_COMM_WORLD'),
      instance([7], 'MPI_COMM_SELF'),
      instance([9, 9], 'old', { objectFreed: true }),
    ],
    1: [instance([2, 0], 'MPI_COMM_WORLD'), instance([1, 0, 2], 'ocean')],
    2: [instance([1, 1], 'MPI_COMM_WORLD', { values: { code: 'MPIDBG_ERR_UNAVAILABLE', reason: 'denied' } })],
  });

  it('has a row for each rank that has values, and a column for each peer', () => {
    assert.deepEqual(heatMapOf(document, key, undefined), {
      ...{ title: 'length', description: 'messages', column: 'peer' },
      ...{ objects: ['MPI_COMM_WORLD', 'ocean'], object: 'MPI_COMM_WORLD' },
      rows: [
        { rank: '0', values: [0, 3] },
        { rank: '1', values: [2, 0] },
      ],
      omitted: { ranks: 0, columns: 0 },
    });
  });

  it('is of the communicator that is chosen, as long as there is one', () => {
    assert.deepEqual(heatMapOf(document, key, 'ocean')?.rows, [{ rank: '1', values: [1, 0, 2] }]);
    assert.equal(heatMapOf(document, key, 'freed')?.object, 'MPI_COMM_WORLD');
    assert.equal(heatMapOf(documentOf({ 0: [instance([7], 'MPI_COMM_SELF')] }), key, undefined), undefined);
  });

  it('is of the busiest one where none is chosen', () => {
    const busy = documentOf({ 0: [instance([0, 1], 'MPI_COMM_WORLD'), instance([2, 0], 'ocean')] });
    assert.equal(heatMapOf(busy, key, undefined)?.object, 'ocean');
  });

  it("has each world's MPI_COMM_WORLD by itself: its peers are others", () => {
    const two = documentOf({ 0: [instance([0, 3], 'MPI_COMM_WORLD')], 1: [instance([5, 0], 'MPI_COMM_WORLD')] });
    const ranks = two.ranks.map((rank, index) => ({ ...rank, rank: 0, world: ['0', '0.1'][index]! }));
    const { objects, rows } = heatMapOf({ ...two, ranks }, key, undefined)!;
    assert.deepEqual(objects, ['MPI_COMM_WORLD of world 0', 'MPI_COMM_WORLD of world 0.1']);
    assert.deepEqual(rows, [{ rank: '0.1:0', values: [5, 0] }]);
  });

  it('says how many of a large job it leaves out', () => {
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, rank) => [
        rank,
        [
          instance(
            Array.from({ length: 130 }, () => 1),
            'world',
          ),
        ],
      ]),
    );
    const map = heatMapOf(documentOf(many), key, undefined);
    assert.deepEqual(
      [map?.rows.length, map?.rows[0]?.values.length, map?.omitted],
      [128, 128, { ranks: 2, columns: 2 }],
    );
  });

  it('is offered for variables with several values only', () => {
    const withCount = (count: number): Pvar => ({ instances: [{ count }] }) as unknown as Pvar;
    assert.deepEqual([hasSeveralValues(withCount(1)), hasSeveralValues(withCount(4))], [false, true]);
  });
});
