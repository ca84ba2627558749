import assert from 'node:assert/strict';
import type * as ArgumentDifferences from '../../../extension/views/argument-differences';
import { loadWithEditor } from '../../support/with-editor';

describe('what calls of MPI in a source are given', () => {
  const { argumentsOfCalls } = loadWithEditor<typeof ArgumentDifferences>('views/argument-differences');

  it('is what stands in their brackets, over lines', () => {
    assert.deepEqual(
      argumentsOfCalls([
        '    if (phase > 1)',
        '        MPI_Isend(edge(side), n, MPI_DOUBLE,',
        '                  peer, 100 * phase + side, cart, &requests[n]); sent++;',
        '    call mpi_barrier(comm, ierr)',
        '    compute(phase);',
      ]),
      ['edge(side), n, MPI_DOUBLE,', '                  peer, 100 * phase + side, cart, &requests[n]', 'comm, ierr'],
    );
  });

  it('ends where no bracket closes it', () => {
    const lines = ['MPI_Send(a,', ...Array.from({ length: 50 }, (_, i) => `b${i},`)];
    assert.equal(argumentsOfCalls(lines).length, 12);
  });
});
