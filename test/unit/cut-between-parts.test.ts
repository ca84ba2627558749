/** Values that are too long for their line are cut between their parts. */
import assert from 'node:assert/strict';
import { cutBetweenParts } from '../../plugin-api/answers/values/value-text';

describe('a value that is too long', () => {
  const value = '{n = 12, both = {MPI_Comm "oce, an}", MPI_COMM_SELF}, w = (0.25, 1e+300)}';

  it('is cut between its parts, whatever the length, with its brackets closed', () => {
    const cuts = new Set(
      value
        .split('')
        .map((_, length) => cutBetweenParts(value, length))
        .slice(8),
    );
    assert.deepEqual(
      [...cuts],
      [
        '{n = 12, …}',
        '{n = 12, both = {MPI_Comm "oce, an}", …}}',
        '{n = 12, both = {MPI_Comm "oce, an}", MPI_COMM_SELF}, …}',
        '{n = 12, both = {MPI_Comm "oce, an}", MPI_COMM_SELF}, w = (0.25, …)}',
      ],
    );
    assert.equal(cutBetweenParts(value, value.length), value);
  });

  it('is cut where it has to be if it has no parts', () => {
    assert.equal(cutBetweenParts('"abcdefgh"', 5), '"abcd…');
  });
});
