/** What Fortran programs keep statuses in: whole statuses read as such, and fields of statuses as the numbers they are. */
import assert from 'node:assert/strict';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { allMpis } from '../support/sample-job';
import { intoMap, ToldJob } from '../support/told-job';

/**
 * Sends itself messages with the tags 11, 12, …. It prints a line for each expression, and a tab before its elements, or
 * before its source and tag where it is a status. There are as many statuses as a status has elements.
 */
const program = `
module kept
  use mpi
  implicit none
  type box
    integer :: whole(MPI_STATUS_SIZE), pair(2), tags(3)
    integer, allocatable :: each(:), all(:, :)
  end type
  type(box), target :: boxes(2)
contains
  subroutine say(expression, numbers)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: numbers(:)
    print '(a, a, *(i0, :, ", "))', expression, char(9), numbers
  end subroutine
  subroutine say_status(expression, status)
    character(len=*), intent(in) :: expression
    integer, intent(in) :: status(:)
    print '(a, a, i0, a, i0)', expression, char(9)//'source ', status(MPI_SOURCE), ' tag ', status(MPI_TAG)
  end subroutine
  subroutine look(tags, n, given, second, stat, first)
    integer, intent(in) :: n, tags(n), given(:), second(MPI_STATUS_SIZE), stat(MPI_STATUS_SIZE, *), first(2)
    integer :: i
    call say('tags', tags)
    call say('given', given)
    call say_status('second', second)
    call say_status('stat(:,2)', stat(:, 2))
    call say('stat(MPI_TAG, 2)', stat(MPI_TAG, 2:2))
    call say('first', first)
    print '(a)', 'waits'
    flush (6)
    i = 0
    do while (i == 0)
      call sleep(1)
    end do
  end subroutine
end module
program statuses
  use mpi
  use kept
  implicit none
  integer, parameter :: n = MPI_STATUS_SIZE
  integer :: code, k, got, status(MPI_STATUS_SIZE), stat(MPI_STATUS_SIZE, MPI_STATUS_SIZE)
  integer :: tag(n), pair(2), cells(2, n), column(MPI_STATUS_SIZE), shared(MPI_STATUS_SIZE), head(2)
  integer, allocatable :: later(:), copies(:, :)
  integer, target :: held(MPI_STATUS_SIZE, n)
  integer, pointer :: row(:), one(:)
  equivalence (shared, head)
  call MPI_Init(code)
  allocate (boxes(2)%each(n))
  do k = 1, n
    call MPI_Sendrecv(k, 1, MPI_INTEGER, 0, 10 + k, got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                      MPI_COMM_SELF, status, code)
    tag(k) = status(MPI_TAG)
    boxes(2)%each(k) = status(MPI_TAG)
    stat(:, k) = status
    cells(:, k) = [status(MPI_SOURCE), status(MPI_TAG)]
  end do
  pair = [status(MPI_SOURCE), status(MPI_TAG)]
  later = [status(MPI_TAG), status(MPI_SOURCE)]
  column = stat(:, 3)
  shared = status
  copies = stat
  held = stat
  row => held(MPI_TAG, :)
  one => held(:, 2)
  boxes(2)%pair = [status(MPI_TAG), status(MPI_SOURCE)]
  boxes(2)%tags = stat(MPI_TAG, 1:3)
  boxes(2)%whole = stat(:, 1)
  boxes(2)%all = stat
  call say('tag', tag)
  call say('pair', pair)
  call say('later', later)
  call say('row', row)
  call say('head', head)
  call say('cells(:,2)', cells(:, 2))
  call say('boxes(2)%each', boxes(2)%each)
  call say('boxes(2)%pair', boxes(2)%pair)
  call say('boxes(2)%tags', boxes(2)%tags)
  call say('stat(MPI_TAG,:)', stat(MPI_TAG, :))
  call say('stat(1,:)', stat(1, :))
  call say('stat(1:3,2)', stat(1:3, 2))
  call say('status(2:)', status(2:))
  call say('boxes(2)%all(2,:)', boxes(2)%all(2, :))
  call say('MPI_STATUS_SIZE', [MPI_STATUS_SIZE])
  call say('MPI_MAX_PROCESSOR_NAME', [MPI_MAX_PROCESSOR_NAME])
  call say_status('status', status)
  call say_status('column', column)
  call say_status('shared', shared)
  call say_status('one', one)
  call say_status('copies(:,4)', copies(:, 4))
  call say_status('boxes(2)%whole', boxes(2)%whole)
  call say_status('boxes(2)%all(:,2)', boxes(2)%all(:, 2))
  call look(stat(MPI_TAG, :), n, stat(MPI_TAG, 2:3), stat(1, 2), stat, status)
  call MPI_Finalize(code)
end program
`;

/** As mpidbg writes the value that the program has told. */
function asShown(told: string): RegExp {
  if (told.startsWith('source ')) return new RegExp(`^MPI_Status · ${told.replace(' tag', ' · tag')} · 4 bytes$`);
  return told.includes(',') ? new RegExp(`^\\(${told}\\)$`) : new RegExp(`^\\(?${told}\\)?$`);
}

for (const mpi of allMpis) {
  describe(`Fortran statuses under ${mpi}`, () => {
    let workshop: Workshop;
    let job: ToldJob;
    /** By expression. */
    const told = new Map<string, string>();

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('statuses', program.trim(), `mpifort.${mpi}`, ['-g', '-O0']);
      job = await ToldJob.start(mpi, ['-n', '1', path], intoMap(told));
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      workshop.close();
    });

    const printed = async (expressions: readonly string[], frame: string): Promise<[string, string][]> => {
      const target = ['--frame', frame, '--launcher', String(job.pid), '--json'];
      const { stdout } = await runCli(['print', ...expressions, ...target]);
      const { expressions: values } = JSON.parse(stdout) as ValuesDocument;
      return values.map(({ expression, values }) => [expression, values[0]?.text ?? '']);
    };

    for (const [frame, first, last] of [
      ['statuses', 'tag', 'boxes(2)%all(:,2)'],
      ['look', 'tags', 'first'],
    ] as const) {
      it(`are read in ${frame} where they are whole, and nowhere else`, async () => {
        const all = [...told.keys()];
        const asked = all.slice(all.indexOf(first), all.indexOf(last) + 1);
        assert.ok(asked.length > 5, 'the program has told its values');
        const wrong = (await printed(asked, frame)).filter(([name, text]) => !asShown(told.get(name)!).test(text));
        assert.deepEqual(
          wrong.map(([name, text]) => `${name} is ${text}, not ${told.get(name)}`),
          [],
        );
      });
    }
  });
}
