import assert from 'node:assert/strict';
import { expressionAt } from '../../../extension/fortran/expression';

/** The expression at the character under the ^ in the second line. */
function at(line: string, pointer: string): string | undefined {
  const range = expressionAt(line, pointer.indexOf('^'));
  return range && line.slice(range.start, range.end);
}

describe('Fortran expression under the pointer', () => {
  it('is the name there', () => {
    assert.equal(at('  call MPI_Comm_rank(comm, rank, ierr)', '                       ^'), 'comm');
  });

  it('begins with the components before it and leaves out those behind', () => {
    assert.equal(at('  x = domain%halo%comm', '                   ^ '), 'domain%halo%comm');
    assert.equal(at('  x = domain%halo%comm', '             ^      '), 'domain%halo');
    assert.equal(at('  x = domain%halo%comm', '       ^            '), 'domain');
  });

  it('keeps the index of an element on the way to its component', () => {
    assert.equal(at('  x = neighbour(i) % comm', '                     ^'), 'neighbour(i) % comm');
    assert.equal(at('  x = neighbour(i) % comm', '                ^    '), 'i');
  });

  it('is nothing in a comment, in a text or between names', () => {
    assert.equal(at('  x = 1 ! comm', '            ^'), undefined);
    assert.equal(at("  print *, 'comm'", '             ^'), undefined);
    assert.equal(at('  x = comm', '   ^'), undefined);
  });
});
