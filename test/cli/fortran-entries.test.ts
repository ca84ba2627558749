/** Each with its reason: results of ENTRY and a module's COMMON, which gfortran notes no place of, and CLASS(*) pointers to nothing. */
import assert from 'node:assert/strict';
import { openWorkshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

const program = `
module counters
  implicit none
  integer :: steps, limit
  common /ctl/ steps, limit
end module
module kinds
  use counters, only: how_many => steps, limit
  implicit none
contains
  function whole(n) result(a)
    integer, intent(in) :: n
    integer :: a
    real(8) :: b
    integer :: bits(2)
    real(4) :: halves(2)
    class(*), pointer :: none
    equivalence (bits, halves)
    entry half(n) result(b)
    b = n / 2d0
    halves = [1.5, 2.5]
    bits(2) = 7
    none => null()
    call wait_there(bits, none)
  end function
  subroutine wait_there(first, nothing)
    class(*), intent(in) :: first(:)
    class(*), pointer, intent(in) :: nothing
    how_many = 3
    limit = 4
    print '(i0,1x,i0)', transfer(1.5, 1), 7
    flush(6)
    call sleep(600)
  end subroutine
end module
program main
  use mpi
  use kinds
  implicit none
  integer :: ierr
  real(8) :: got
  call MPI_Init(ierr)
  got = half(5)
end program
`;

for (const mpi of eitherMpi('fortran entries')) {
  it(`the result of an ENTRY, COMMON of a module and a CLASS(*) pointer to nothing are each explained, with ${mpi}`, async () => {
    const workshop = openWorkshop();
    let job: ToldJob | undefined;
    try {
      const path = workshop.compile('entries', program, `mpifort.${mpi}`, ['-g', '-O0']);
      let told: string[] = [];
      job = await ToldJob.start(mpi, ['-n', '1', path], (line) => {
        told = line.trim().split(' ');
        return told.length === 2;
      });
      const target = ['--launcher', String(job.pid)];
      const inEntry = await runCli(['print', 'bits', 'b', '--frame', 'master.0.whole', ...target]);
      assert.match(inEntry.stdout, new RegExp(String.raw`^bits +0 +\(${told.join(', ')}\)$`, 'm'));
      assert.match(inEntry.stdout, /^b +0 +its place is not noted: .*is __result_master\.0\.whole among/m);
      const inside = await runCli(['print', 'first', 'nothing', '--frame', 'wait_there', ...target]);
      assert.match(inside.stdout, new RegExp(String.raw`^first +0 +\(${told.join(', ')}\)$`, 'm'));
      const inCommon = await runCli(['print', 'how_many', 'limit', '--frame', 'wait_there', ...target]);
      for (const name of ['how_many', 'limit'])
        assert.match(inCommon.stdout, new RegExp(`^${name} +0 .*what a module has in a COMMON block$`, 'm'));
      assert.match(inside.stdout, /^nothing +0 +<absent: .*a POINTER to nothing>$/m);
    } finally {
      await job?.kill();
      workshop.close();
    }
  });
}
