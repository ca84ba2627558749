/** A name that no frame knows, but a module of Fortran or a namespace of C++ has: it is told how to ask for it. Truth: what the program prints. */
import assert from 'node:assert/strict';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import type { Mpi } from '../support/sample-job';
import { intoMap, ToldJob } from '../support/told-job';

const inFortran = `
module geometry
  implicit none
  real(8) :: spacing = 0.25d0
  integer :: depth = 3
end module
module physics
  implicit none
  integer :: depth = 7
end module
subroutine sweep
  use mpi
  integer :: code
  print '(a)', 'waits'
  flush (6)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  do
    call sleep(1)
  end do
end subroutine
program other
  use mpi
  implicit none
  integer :: code
  call MPI_Init(code)
  call tell
  call sweep
contains
  subroutine tell
    use geometry
    use physics, only: deep => depth
    character, parameter :: tab = achar(9)
    print '(3a, f4.2)', 'geometry::spacing', tab, '', spacing
    print '(2a, i0)', 'geometry::depth', tab, depth
    print '(2a, i0)', 'physics::depth', tab, deep
  end subroutine
end program
`;

const inCxx = `
#include <cstdio>
#include <mpi.h>
#include <unistd.h>
namespace geometry { double spacing = 0.25; int depth = 3; }
namespace physics { int depth = 7; }
static void sweep() {
  std::printf("geometry::spacing\\t%g\\ngeometry::depth\\t%d\\nphysics::depth\\t%d\\n", geometry::spacing, geometry::depth, physics::depth);
  std::printf("waits\\n");
  std::fflush(stdout);
  for (;;) pause();
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  sweep();
}
`;

for (const { language, mpi, source, compiler } of [
  { language: 'Fortran', mpi: 'openmpi', source: inFortran, compiler: 'mpifort' },
  { language: 'C++', mpi: 'mpich', source: inCxx, compiler: 'mpicxx' },
] satisfies { language: string; mpi: Mpi; source: string; compiler: string }[]) {
  describe(`a name that only another scope of ${language} has`, () => {
    let workshop: Workshop;
    let job: ToldJob;
    const told = new Map<string, string>();

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('elsewhere', source.trim(), `${compiler}.${mpi}`, ['-g', '-O0']);
      job = await ToldJob.start(mpi, ['-n', '1', path], intoMap(told));
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      workshop.close();
    });

    const ask = (...expressions: string[]): ReturnType<typeof runCli> =>
      runCli(['print', ...expressions, '--launcher', String(job.pid)]);

    it('is answered with its full name, under which it is known', async () => {
      const { stdout } = await ask('spacing * 2', 'depth', 'nowhere');
      assert.match(stdout, /^spacing \* 2 +0 +No symbol "spacing" in current context; there is geometry::spacing$/m);
      assert.match(stdout, /^depth +0 +No symbol "depth" .*; there is geometry::depth and physics::depth$/m);
      assert.match(stdout, /^nowhere +0 +No symbol "nowhere" in current context$/m);
      const named = await ask(...told.keys());
      assert.equal(told.size, 3);
      for (const [name, value] of told) assert.match(named.stdout, new RegExp(`^${name} +0 +${value}$`, 'm'));
    });
  });
}
