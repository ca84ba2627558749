import assert from 'node:assert/strict';
import { hangPicture } from '../../../extension/pictures/hang-picture';
import { compareNames, isRankText, nameInSet, namesIn, ranksIn } from '../../../extension/ranks/rank-numbers';
import { nameOfId, wordsOfRanks } from '../../../extension/ranks/rank-text';
import type { HangDocument, WaitingPosition } from '../../../plugin-api/hang/hang-records';

describe('ranks in the texts of the adapter', () => {
  it('are told apart by their worlds', () => {
    assert.deepEqual(namesIn('0-1,7,0.1:0-1,5,1:2'), ['0', '1', '7', '0.1:0', '0.1:1', '0.1:5', '1:2']);
    assert.deepEqual(ranksIn('3,0.1:0'), [{ rank: 3 }, { rank: 0, world: '0.1' }]);
    assert.deepEqual(['1:0', '0.1:2', '10', '0.1:1', '2'].sort(compareNames), ['2', '10', '0.1:1', '0.1:2', '1:0']);
    assert.equal(nameInSet({ rank: 3, world: '0' }), '3');
    assert.deepEqual(['0-3', '0.1:2', 'pid 4711', '3.core', ''].map(isRankText), [true, true, false, false, false]);
  });

  it('are named in words', () => {
    assert.deepEqual(['3', '0.1:3', '0-1,0.1:0', 'pid 7'].map(wordsOfRanks), [
      'rank 3',
      'rank 0.1:3',
      'ranks 0-1,0.1:0',
      'pid 7',
    ]);
    assert.equal(nameOfId({ rank: 1, world: '0.1' }), 'rank 0.1:1');
  });

  it('have places of their own in the picture of a hang', () => {
    const at = (world: string, other: string): WaitingPosition => ({
      ...{ rank: 0, world, thread: 1, state: 'blocked', call: 'MPI_Recv' },
      ...{ waitsFor: [0], waitsForRanks: [{ rank: 0, world: other }] },
    });
    const { shapes } = hangPicture({
      sentence: '',
      culprits: [0],
      culpritRanks: [{ rank: 0, world: '0.1' }],
      ranks: [at('0', '0.1'), at('0.1', '0')],
    } as unknown as HangDocument);
    assert.equal(shapes.filter(({ kind }) => kind === 'arrow').length, 2);
    const boxes = shapes.flatMap((shape) =>
      shape.kind === 'rank' ? [[shape.texts[0], shape.look, shape.target]] : [],
    );
    assert.deepEqual(boxes, [
      ['rank 0', 'plain', { ranks: '0' }],
      ['rank 0.1:0', 'fault', { ranks: '0.1:0' }],
    ]);
  });
});
