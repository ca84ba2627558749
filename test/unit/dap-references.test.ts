import assert from 'node:assert/strict';
import { References } from '../../adapter/dap/references/references';
import type { Rank } from '../../adapter/job/rank';

const rank = (): Rank => ({}) as Rank;

describe('references', () => {
  it('die when their rank runs, and only theirs', () => {
    const references = new References<string>();
    const [one, two] = [rank(), rank()];
    const a = references.give(one, 'a', 'in one');
    const b = references.give(two, 'a', 'in two');
    assert.notEqual(a, b);
    references.drop(one);
    assert.throws(() => references.get(a), /belongs to an earlier stop/);
    assert.equal(references.get(b), 'in two');
  });

  it('are the same for the same thing at the next stop', () => {
    const references = new References<string>();
    const one = rank();
    const a = references.give(one, 'a', 'before');
    references.drop(one);
    const other = references.give(one, 'b', 'new');
    assert.equal(references.give(one, 'a', 'after'), a);
    assert.notEqual(other, a);
    assert.equal(references.get(a), 'after');
  });

  it('are remembered over a stop at which nobody looked', () => {
    const references = new References<string>();
    const one = rank();
    const a = references.give(one, 'a', 'before');
    references.drop(one);
    references.drop(one);
    assert.equal(references.give(one, 'a', 'after'), a);
  });
});
