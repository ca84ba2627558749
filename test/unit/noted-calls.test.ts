import assert from 'node:assert/strict';
import { lineOfCall } from '../../plugin-api/fortran/noted-calls';

const source = `
program ice
  use mpi_f08
  call MPI_Init(error)
  if (is_thick) then
    call MPI_Barrier(freed, error)
  end if
  select case (how)
  case ('a')
    call MPI_Barrier( & ! call MPI_Barrier
      freed, error)
  case ('b')
    call mpi_barrier(freed, error)
  end select
  call melt(error)
contains
  subroutine melt(error)
    call MPI_Barrier(freed, error)
  end subroutine
end program
`;
const [inIf, first, second] = [6, 10, 13];

describe('lines of calls that gfortran notes wrongly', () => {
  const line = (symbol: string, lines: number[], index: number, heading: number | string = 2) =>
    lineOfCall(source, 'free', { symbol, lines, index, heading });

  it('are those of the calls in the source, in the order of the code', () => {
    // As gfortran 12 notes them: the IF, and twice the last line of the SELECT CASE.
    const lines = [5, 13, 13];
    assert.deepEqual(
      [0, 1, 2].map((index) => line('mpi_barrier_f08_', lines, index)),
      [inIf, first, second],
    );
    assert.deepEqual(
      [0, 1, 2].map((index) => line('mpi_barrier_', lines, index, 'ice')),
      [inIf, first, second],
    );
    assert.equal(line('__ice_MOD_melt', [2], 0), 15);
    assert.equal(line('melt.0', [2], 0), 15);
  });

  it('stay what they are where they are right', () => {
    assert.equal(line('mpi_barrier_', [6, 11, 13], 1), 11);
    assert.equal(line('mpi_init_', [4], 0), 4);
    // The compiler has moved the second one to the front.
    assert.equal(line('mpi_barrier_', [13, 5, 10], 0), second);
  });

  it('are known by those of the others', () => {
    assert.equal(line('mpi_barrier_', [13, 5, 10], 1), inIf);
  });

  it('are not known where the source has other calls', () => {
    assert.equal(line('mpi_barrier_', [5, 13, 13, 13], 1), 'wrong');
    assert.equal(line('mpi_wait_', [5], 0), undefined);
    assert.equal(line('mpi_barrier_', [2], 0, 17), 18);
    assert.equal(line('mpi_barrier_', [2], 0, 'snow'), undefined);
  });
});
