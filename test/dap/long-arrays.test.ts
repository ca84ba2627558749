/** Conditions and log messages with sizes that a number of 32 bits cannot count. Truth: what the program has worked out itself. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { openWorkshop } from '../support/compile';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const inC = `
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
typedef int Ints[600000000L];
typedef long Longs[3][300000000L];
int main(int argc, char **argv) {
  Ints *ints = NULL;
  Longs *longs = mmap(NULL, sizeof *longs, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  (*longs)[0][1] = 11;
  (*longs)[2][1] = 12;
  (*longs)[2][299999999] = 13;
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
  for (const { language, source, compiler, extension, holds, logged, far } of [
    {
      ...{ language: 'C', source: inC, compiler: `mpicc.${mpi}`, extension: 'c' },
      holds: 'sizeof(*ints) == bytes && sizeof *ints == bytes && sizeof(Ints) > 0 && sizeof few == fewer && lap == 1',
      logged: 'lap {lap}: {sizeof(*ints)} of {bytes}',
      // gdb reaches none of them by its index.
      far: { '(*longs)[0][1]': '11', '(*longs)[2][1]': '12', '&(*longs)[2][299999999] - &(*longs)[0][0]': '899999999' },
    },
    {
      ...{ language: 'Fortran', source: inFortran, compiler: `mpifort.${mpi}`, extension: 'f90' },
      holds:
        'size(flags) == elements .and. size(table) == all .and. ubound(flags, 1) == last .and. size(few) == fewer .and. lap == 1',
      logged: 'lap {lap}: {size(table)} of {all}',
      far: {},
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
        const { id } = await run.topFrame(0);
        for (const [expression, value] of Object.entries(far))
          assert.equal((await run.evaluate(expression, 'watch', id)).result, value, expression);
        if (language === 'C') {
          const { variablesReference } = await run.evaluate('(*longs)[2]', 'watch', id);
          const page = { filter: 'indexed', count: 2 };
          const beginning = await run.variables(variablesReference, { ...page, start: 0 });
          const end = await run.variables(variablesReference, { ...page, start: 299999998 });
          assert.deepEqual(
            [...beginning, ...end].map(({ value }) => value),
            ['0', '12', '0', '13'],
          );
        }
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
