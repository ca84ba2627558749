/** Conditions and log messages with sizes that a number of 32 bits cannot count. Truth: what the program has worked out itself. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../support/compile';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const inC = `
#include <mpi.h>
#include <stdlib.h>
typedef int Ints[600000000L];
int main(int argc, char **argv) {
  Ints *ints = NULL;
  int few[3] = {1, 2, 3};
  long bytes = sizeof *ints, fewer = sizeof few;
  MPI_Init(&argc, &argv);
  for (int lap = 0; lap < 3; lap++)
    bytes += few[0] - 1; /* stop */
  MPI_Finalize();
  return bytes == fewer;
}
`;

const inFortran = `
program long_arrays
  use mpi
  implicit none
  integer(1), allocatable :: flags(:), table(:, :)
  integer :: code, few(3), lap
  integer(8) :: elements, all, last, fewer
  allocate (flags(3000000000_8), table(2, 1500000000_8))
  few = 1
  elements = size(flags, kind=8)
  all = size(table, kind=8)
  last = ubound(flags, 1, kind=8)
  fewer = size(few)
  call MPI_Init(code)
  do lap = 0, 2
    elements = elements + few(1) - 1 ! stop
  end do
  call MPI_Finalize(code)
  if (elements == 1) print *, all, last, fewer
end program
`;

for (const mpi of eitherMpi('long arrays')) {
  for (const { language, source, compiler, extension, holds, logged } of [
    {
      ...{ language: 'C', source: inC, compiler: `mpicc.${mpi}`, extension: 'c' },
      holds: 'sizeof(*ints) == bytes && sizeof *ints == bytes && sizeof(Ints) > 0 && sizeof few == fewer && lap == 1',
      logged: 'lap {lap}: {sizeof(*ints)} of {bytes}',
    },
    {
      ...{ language: 'Fortran', source: inFortran, compiler: `mpifort.${mpi}`, extension: 'f90' },
      holds:
        'size(flags) == elements .and. size(table) == all .and. ubound(flags, 1) == last .and. size(few) == fewer .and. lap == 1',
      logged: 'lap {lap}: {size(table)} of {all}',
    },
  ])
    it(`count long arrays of ${language}, with ${mpi}`, async () => {
      const workshop = openWorkshop();
      try {
        const program = workshop.compile('long_arrays', source.trim(), compiler, ['-g', '-O0']);
        const line =
          1 +
          source
            .trim()
            .split('\n')
            .findIndex((each) => /[*!] stop/.test(each));
        const run = await DebugRun.open();
        const breakpoints = [
          { line, condition: holds },
          { line, logMessage: logged },
        ];
        await run.launch({ mpi, program: 'ring', ranks: 1, attributes: { program } }, async () => {
          const set = await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>('setBreakpoints', {
            ...{ source: { path: `${program}.${extension}` }, breakpoints },
          });
          for (const { verified, message } of set.breakpoints) assert.equal(verified, true, message);
        });
        const { description, reason } = await run.nextStop();
        assert.equal(reason, 'breakpoint', description);
        assert.equal((await run.local(0, 'lap')).value, '1', description);
        await run.continueUntil(run.terminated());
        const texts = run.client.outputText('console').match(/lap \d: \d+ of \d+/g) ?? [];
        assert.deepEqual(
          texts.map((text) => /^lap (\d): (\d+) of \2$/.exec(text)?.[1]),
          ['0', '1', '2'],
          run.client.outputText('console'),
        );
        await run.close();
      } finally {
        workshop.close();
      }
    });
}
