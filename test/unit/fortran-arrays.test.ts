import assert from 'node:assert/strict';
import { ascendingPart, subscripted, withParts, type ForwardArray } from '../../adapter/expressions/fortran-arrays';

const dimension = (low: number, high: number, isBackwards: boolean): ForwardArray['dimensions'][number] => ({
  ...{ low, high, isBackwards },
});
/** heads(0:3) lies backwards. */
const heads: ForwardArray = {
  ...{ source: 'heads(3:0:-1)', isSection: true, dimensions: [dimension(0, 3, true)] },
};
/** m(3,-1:1), whose first dimension does. */
const m: ForwardArray = {
  ...{ source: 'm(3:1:-1,-1:1)', isSection: true, dimensions: [dimension(1, 3, true), dimension(-1, 1, false)] },
};

describe('Fortran arrays that lie backwards', () => {
  it('have the same elements as written forwards', () => {
    assert.equal(subscripted(heads, ['0']), 'heads(3:0:-1)(4)');
    assert.equal(subscripted(heads, ['i + 1']), 'heads(3:0:-1)(4-(i + 1))');
    assert.equal(subscripted(m, ['3', '-1']), 'm(3:1:-1,-1:1)(1,1)');
  });

  it('have the same sections', () => {
    assert.equal(subscripted(heads, [':']), 'heads(3:0:-1)(4:1:-1)');
    assert.equal(subscripted(heads, ['1:2']), 'heads(3:0:-1)(3:2:-1)');
    assert.equal(subscripted(heads, ['3:0:-1']), 'heads(3:0:-1)(1:4:1)');
    assert.equal(subscripted(heads, ['::2']), 'heads(3:0:-1)(4:1:-2)');
    assert.equal(subscripted(heads, ['2:2']), 'heads(3:0:-1)(2:2)', 'gdb refuses a stride for one element');
    assert.equal(subscripted(m, [':', '0']), 'm(3:1:-1,-1:1)(3:1:-1,2)');
  });

  it('have parts in the order of memory', () => {
    assert.equal(ascendingPart(heads, [{ low: 1, high: 2 }], []), 'heads(3:0:-1)(2:3:1)');
    assert.equal(ascendingPart(m, [{ low: 1, high: 3 }], ['0']), 'm(3:1:-1,-1:1)(1:3:1,2)');
  });

  it('work in every expression', async () => {
    const arrays: Record<string, ForwardArray> = { heads, m };
    const forGdb = (source: string): Promise<string> =>
      withParts(source, {
        arrayOf: async (each) => arrays[each],
        componentOf: async (object, name) => `${object}%${name}`,
        callOf: async (name, args) => `${name}(${args.join()})`,
      });
    assert.equal(await forGdb('heads(0) + a(1)'), 'heads(3:0:-1)(4) + a(1)');
    assert.equal(await forGdb('m(heads(3), f(1, 2))%n'), 'm(3:1:-1,-1:1)(4-(heads(3:0:-1)(1)),(f(1,2))-(-2))%n');
    assert.equal(await forGdb("'heads(0)' // text(1)"), "'heads(0)' // text(1)");
  });

  it('of CLASS have elements of the dynamic type', () => {
    const of: ForwardArray = { ...heads, source: 'o%_data(3:0:-1)', polymorphic: 'o' };
    assert.equal(subscripted(of, ['3']), '$_mpidbg_object(o%_data(3:0:-1)(1), o)');
    assert.equal(subscripted(of, [':']), 'o%_data(3:0:-1)(4:1:-1)');
  });
});
