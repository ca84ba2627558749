import assert from 'node:assert/strict';
import type * as ArgumentDifferences from '../../../extension/views/argument-differences';
import { loadWithEditor } from '../../support/with-editor';

describe('what calls of MPI in a source are given', () => {
  const { argumentsOfCalls } = loadWithEditor<typeof ArgumentDifferences>('views/argument-differences');

  it('is what stands in their brackets, over lines, but for buffers, requests and what the call sets', () => {
    assert.deepEqual(
      argumentsOfCalls(
        [
          '    if (phase > 1)',
          '        MPI_Isend(edge(side, 0), n, MPI_DOUBLE, // n, all of it',
          '                  peer, 100 * phase + tag(side, 1), cart, &requests[n]); sent++;',
          '    compute(phase);',
          '    MPI_Own(a, b);',
        ],
        false,
      ),
      [
        { as: 'count', text: 'n' },
        { as: 'datatype', text: 'MPI_DOUBLE' },
        { as: 'dest', text: 'peer' },
        { as: 'tag', text: '100 * phase + tag(side, 1)' },
        { as: 'comm', text: 'cart' },
        { as: '', text: 'a' },
        { as: '', text: 'b' },
      ],
    );
    const fortran = [
      '  call mpi_bcast(field(:, 1), size(field, 1), MPI_REAL, & ! the edge',
      '     & first, comm, ierr)',
    ];
    assert.deepEqual(argumentsOfCalls(fortran, true), [
      { as: 'count', text: 'size(field, 1)' },
      { as: 'datatype', text: 'MPI_REAL' },
      { as: 'root', text: 'first' },
      { as: 'comm', text: 'comm' },
    ]);
  });

  it('ends where no bracket closes it', () => {
    const lines = ['MPI_Own(a,', ...Array.from({ length: 50 }, (_, i) => `b${i},`)];
    assert.ok(argumentsOfCalls(lines, false).length <= 13);
  });
});
