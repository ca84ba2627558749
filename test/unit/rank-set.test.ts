import assert from 'node:assert/strict';
import {
  firstMissing,
  formatRankSet,
  parseRankSet,
  rankSetHas,
  rankSetOf,
  RankSetError,
} from '../../plugin-api/answers/rank-set';

describe('rank set', () => {
  it('reads ranks and ranges in any order', () => {
    assert.deepEqual(parseRankSet('0-3,7'), [
      [0, 3],
      [7, 7],
    ]);
    assert.deepEqual(parseRankSet(' 7 , 2 - 3, 0-1 ,3'), [
      [0, 3],
      [7, 7],
    ]);
    assert.deepEqual(parseRankSet('5'), [[5, 5]]);
  });

  it('joins what overlaps or touches', () => {
    assert.equal(formatRankSet(parseRankSet('0-5,3-9,10,12')), '0-10,12');
  });

  it('says what is wrong with other text', () => {
    for (const text of ['', ',', '1,', 'all', '-1', '1-', '1--2', '0x1', '1.5', '1 2']) {
      assert.throws(() => parseRankSet(text), RankSetError, JSON.stringify(text));
    }
    assert.throws(() => parseRankSet('3-1'), /"3-1" is not a rank set: the range 3-1 runs backwards/);
  });

  it('writes what it reads', () => {
    for (const text of ['0', '0-1', '0-2', '0-1,3-5,9', '0-3,7']) {
      assert.equal(formatRankSet(parseRankSet(text)), text);
    }
    assert.equal(formatRankSet(rankSetOf([7, 0, 2, 1, 3])), '0-3,7');
    assert.equal(formatRankSet([]), '');
  });

  it('knows its members without counting them', () => {
    const set = parseRankSet('0-999999999');
    assert.ok(rankSetHas(set, 123456789));
    assert.ok(!rankSetHas(set, 1000000000));
  });

  it('finds the first rank that a job lacks', () => {
    const job = parseRankSet('0-3,6');
    assert.equal(firstMissing(parseRankSet('1-3,6'), job), undefined);
    assert.equal(firstMissing(parseRankSet('2-4'), job), 4);
    assert.equal(firstMissing(parseRankSet('5'), job), 5);
    assert.equal(firstMissing([], job), undefined);
  });
});
