/** Arrays with more elements, or bytes, than a number of 32 bits can count: their sizes are the program's own. */
import assert from 'node:assert/strict';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';
import { intoMap, ToldJob } from '../support/told-job';

/** Nothing but their last elements is ever in memory. Each program prints expressions with their values, and waits. */
const inC = `
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
typedef int Ints[600000000L];
struct holder { char count; char flags[3000000000L]; };
typedef struct { short parts[4][400000000L]; } Deep[2];
static void *reserve(size_t size) {
  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
int main(void) {
  MPI_Init(NULL, NULL);
  struct holder *holder = reserve(sizeof *holder);
  Ints *ints = reserve(sizeof *ints);
  Deep *deep = reserve(sizeof *deep);
  int few[3] = {1, 2, 3};
  holder->flags[2999999999L] = 7;
  (*ints)[599999999L] = 8;
#define TELL(expression) printf("%s\\t%ld\\n", #expression, (long)(expression))
  TELL(sizeof(*holder));
  TELL(sizeof(holder->flags));
  TELL(sizeof(Ints));
  TELL(sizeof(*ints) / 2);
  TELL(sizeof *ints);
  TELL(sizeof(struct holder));
  TELL(sizeof(few) + sizeof(few[0]) + sizeof(int));
  TELL(sizeof holder->flags / sizeof holder->flags[0]);
  TELL(sizeof((*deep)[1]));
  TELL(sizeof((*deep)[1].parts));
  TELL(sizeof((*deep)[1].parts[3]) / sizeof(short));
  TELL((*ints)[599999999]);
  printf("last\\t%d\\nwaits\\n", holder->flags[2999999999L]);
  fflush(stdout);
  for (;;) pause();
}
`;

const inFortran = `
program long_arrays
  use mpi
  implicit none
  integer(1), allocatable :: flags(:)
  integer, allocatable :: ints(:)
  integer(1), allocatable :: table(:, :)
  integer :: code, few(3)
  call MPI_Init(code)
  allocate (flags(3000000000_8), ints(600000000_8), table(2, 1500000000_8))
  few = 1
  flags(3000000000_8) = 7
  print '(a, a, i0)', 'sizeof(flags)', char(9), sizeof(flags)
  print '(a, a, i0)', 'sizeof(ints)', char(9), sizeof(ints)
  print '(a, a, i0)', 'size(flags)', char(9), size(flags, kind=8)
  print '(a, a, i0)', 'size(table)', char(9), size(table, kind=8)
  print '(a, a, i0)', 'ubound(flags, 1)', char(9), ubound(flags, 1, kind=8)
  print '(a, a, i0)', 'size(few)', char(9), size(few)
  print '(a, a, i0)', 'last', char(9), flags(3000000000_8)
  print '(a)', 'waits'
  flush (6)
  do
    call sleep(1)
  end do
end program
`;

for (const mpi of eitherMpi('long arrays')) {
  for (const { language, source, compiler, frame, whole, last } of [
    {
      language: 'C',
      source: inC,
      compiler: `mpicc.${mpi}`,
      frame: 'main',
      whole: 'holder->flags',
      last: '[2999999999]',
    },
    {
      language: 'Fortran',
      source: inFortran,
      compiler: `mpifort.${mpi}`,
      frame: 'long_arrays',
      whole: 'flags',
      last: '(3000000000)',
    },
  ]) {
    describe(`long arrays of ${language} under ${mpi}`, () => {
      let workshop: Workshop;
      let job: ToldJob;
      const told = new Map<string, string>();

      before(async () => {
        workshop = openWorkshop();
        const path = workshop.compile('long_arrays', source.trim(), compiler, ['-g', '-O0']);
        job = await ToldJob.start(mpi, ['-n', '1', path], intoMap(told));
      });
      after(async () => {
        await (job as ToldJob | undefined)?.kill();
        workshop.close();
      });

      it('have the sizes that the program tells', async () => {
        const expressions = [...told.keys()].filter((name) => name !== 'last');
        assert.ok(expressions.length > 5, 'the program has told its values');
        const target = ['--frame', frame, '--launcher', String(job.pid), '--json'];
        const { stdout } = await runCli(['print', ...expressions, whole, `${whole}${last}`, ...target]);
        const { expressions: values } = JSON.parse(stdout) as ValuesDocument;
        const printed = new Map(values.map(({ expression, values }) => [expression, values[0]?.text ?? '']));
        assert.deepEqual(
          expressions.map((expression) => [expression, printed.get(expression)]),
          expressions.map((expression) => [expression, told.get(expression)]),
        );
        assert.match(
          printed.get(whole) ?? '',
          /^[({]0.*… 3000000000 in all[)}]$|^\{0 '\\000', .*… 3000000000 in all\}$/s,
        );
        assert.match(printed.get(`${whole}${last}`) ?? '', new RegExp(`^${told.get('last')}\\b`));
      });
    });
  }
}
