import assert from 'node:assert/strict';
import { variablesIn } from '../../../extension/editor/variables-in-line';

const names = (line: string, isFortran = false): string[] => variablesIn(line, isFortran).map(({ name }) => name);

describe('variables in a line of source', () => {
  it('are its names, each once, at their columns', () => {
    assert.deepEqual(variablesIn('  sum = sum + x;', false), [
      { name: 'sum', start: 2, isWhole: true },
      { name: 'x', start: 14, isWhole: true },
    ]);
  });

  it('are told from those of which the line has only members', () => {
    const whole = (line: string, isFortran: boolean): string[] =>
      variablesIn(line, isFortran).flatMap(({ name, isWhole }) => (isWhole ? [name] : []));
    assert.deepEqual(whole('a.x = b->y + c -> z + d[1].w + e % f + e.v;', false), ['d', 'e', 'f']);
    assert.deepEqual(whole('s%u(1) = S % me + n + t%n; call swap(t)', true), ['n', 't', 'call', 'swap']);
  });

  it('are neither in comments nor in texts, and are no members', () => {
    assert.deepEqual(names('x = f("a b", \'c\') + p->next + q.r; // y'), ['x', 'f', 'p', 'q']);
    assert.deepEqual(names('#define x y'), []);
    assert.deepEqual(names('a /* b */ = c /* d'), ['a', 'c']);
  });

  it('are the same in any case in Fortran, where % leads to a component', () => {
    assert.deepEqual(names("  Total = total + grid%comm ! 'rest", true), ['Total', 'grid']);
    assert.deepEqual(names("  print *, 'total', sum", true), ['print', 'sum']);
  });
});
