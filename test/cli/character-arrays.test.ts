/** What gfortran leaves out of the debug information: CHARACTER of a length known at run time only, CLASS(*). Truth: what the program sets. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

const source = `
module buoys
  implicit none
  type :: buoy
    character(len=:), allocatable :: label
    character(len=:), allocatable :: names(:)
    integer :: depth = 7
  end type
contains
  subroutine bounded(from_zero, elsewhere, known, open, fixed, n, numbers, computed, texts, square)
    integer, intent(in) :: n
    character(*), intent(in) :: from_zero(0:), elsewhere(-2:, & ! continued
      5:), open(2, *), fixed(4)
    character(n), dimension(3:), intent(in) :: known
    class(*), intent(in) :: numbers(0:)
    character(*), intent(in) :: computed(n:)
    character(*), intent(in) :: texts(:), square(:, :)
    character(n) :: automatic(0:2)
    automatic = fixed(2:)
    call pass_on('on its own', [10, 20, 30], ['ab', 'cd', 'ef'], 2, texts(2::2), texts(3:1:-1), square)
    print *, automatic
  end subroutine

  subroutine pass_on(what, numbers, texts, second, every_other, backwards, table)
    class(*), intent(in) :: what, numbers(:), texts(:)
    integer, intent(in) :: second
    character(*), intent(in) :: every_other(:), backwards(:), table(:, :)
    call wait_in(texts, second, every_other, backwards, table)
    if (second < 0) print *, same_type_as(what, numbers(1))
  end subroutine

  subroutine wait_in(passed_on, second, every_other, backwards, table, number, text, list, object)
    class(*), intent(in) :: passed_on(:)
    integer, intent(in) :: second
    character(*), intent(in) :: every_other(:), backwards(:), table(:, :)
    integer, intent(in), optional :: number, list(:)
    character(*), intent(in), optional :: text
    type(buoy), intent(in), optional :: object
    print '(a)', 'waits'
    flush (6)
    do
      call sleep(1)
    end do
  end subroutine
end module

program character_arrays
  use mpi
  use buoys
  implicit none
  character(len=:), allocatable :: words(:), none(:)
  character(len=:), pointer :: pointed(:)
  character(len=5), target :: seas(4) = ['north', 'ocean', 'reef ', 'tide ']
  character(len=3) :: square(2, 2) = reshape(['a  ', 'bb ', 'ccc', 'd  '], [2, 2])
  type(buoy), target :: one, several(2)
  integer :: code
  call MPI_Init(code)
  words = ['alpha', 'beta ', 'gamma']
  pointed => seas(3:1:-1)
  one%label = 'buoy one'
  one%names = ['x1', 'y2']
  several(2)%names = ['in an array', 'of buoys   ']
  call bounded(seas, square, seas, seas, seas, 5, [10, 20, 30], seas, seas, square)
  if (allocated(none)) print *, none
end program
`;

const absent = 'absent: OPTIONAL and not passed, not allocated, or a POINTER to nothing';
const absentOrLost =
  'absent: OPTIONAL and not passed, not allocated, a POINTER to nothing, or not kept by optimized code';

/** Its first index is a number that only the program knows. */
const unknown = 'gdb does not know its type, as with arrays of CHARACTER whose length is known only at run time';

/** By the frame that has them. */
const set = {
  character_arrays: {
    words: "('alpha', 'beta ', 'gamma')",
    'words(2)': "'beta '",
    'words(2:3)': "('beta ', 'gamma')",
    'words(3)(2:4)': "'amm'",
    'words(1) == "alpha"': '.TRUE.',
    'size(words)': '3',
    'shape(words)': '(3)',
    'ubound(words)': '(3)',
    'len(words)': '5',
    'pointed(1)': "'reef '",
    'one%label': "'buoy one'",
    'one%label(2:3)': "'uo'",
    'len(one%label)': '8',
    'one%names(2)': "'y2'",
    one: "( label = 'buoy one', names = ('x1', 'y2'), depth = 7 )",
    'several(2)%names(1)': "'in an array'",
    'several(1)': '( label = <not allocated or associated>, names = <type unknown>, depth = 7 )',
    pointed: "('reef ', 'ocean', 'north')",
    'one%names': "('x1', 'y2')",
    'several(2)%names': "('in an array', 'of buoys   ')",
  },
  bounded: {
    from_zero: "('north', 'ocean', 'reef ', 'tide ')",
    'from_zero(0)': "'north'",
    'from_zero(1)': "'ocean'",
    'from_zero(1)(2:3)': "'ce'",
    'from_zero(3) == "tide"': '.TRUE.',
    'lbound(from_zero)': '(0)',
    'ubound(from_zero)': '(3)',
    'from_zero(4)': 'no such element in the array, or one beyond its first 4 GiB, which gdb does not reach',
    'elsewhere(-2,5)': "'a  '",
    'elsewhere(-1,6)': "'d  '",
    'known(3)': "'north'",
    'known(4)': "'ocean'",
    'open(2,1)': "'ocean'",
    'open(1,2)': "'reef '",
    open: 'only the caller knows its size (*): ask for an element',
    fixed: "('north', 'ocean', 'reef ', 'tide ')",
    'fixed(3)': "'reef '",
    'fixed(n-1)(1:2)': "'ti'",
    'fixed(2:3)': "('ocean', 'reef ')",
    automatic: "('ocean', 'reef ', 'tide ')",
    'automatic(1)': "'reef '",
    'numbers(0)': '10',
    'numbers(2)': '30',
    'computed(5)': unknown,
    computed: unknown,
  },
  pass_on: {
    what: "'on its own'",
    numbers: '(10, 20, 30)',
    'numbers(second)': '20',
    texts: "('ab', 'cd', 'ef')",
    'texts(3)': "'ef'",
  },
  wait_in: {
    every_other: "('ocean', 'tide ')",
    'every_other(second)': "'tide '",
    backwards: "('reef ', 'ocean', 'north')",
    'backwards(3)': "'north'",
    'backwards(2)(second:second)': "'c'",
    table: "(('a  ', 'bb ') ('ccc', 'd  '))",
    'table(2,1)': "'bb '",
    'table(1,:)': "('a  ', 'ccc')",
    passed_on: "('ab', 'cd', 'ef')",
    'passed_on(second)': "'cd'",
    number: absent,
    text: absent,
    list: absentOrLost,
    'list(1)': absentOrLost,
    object: absent,
    'object%depth': absent,
  },
};

for (const mpi of eitherMpi('character arrays')) {
  describe(`arrays of CHARACTER of a length known at run time, with ${mpi}`, () => {
    let workshop: Workshop;
    let job: ToldJob;
    let pid = '';

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('character_arrays', source.trim(), `mpifort.${mpi}`, ['-g', '-O0']);
      job = await ToldJob.start(mpi, ['-n', '1', path], (line) => line === 'waits');
      pid = execFileSync('pgrep', ['-f', `^${path}`], { encoding: 'utf8' }).trim();
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      workshop.close();
    });

    async function areTold(...target: string[]): Promise<void> {
      for (const [frame, texts] of Object.entries(set)) {
        const { stdout } = await runCli(['print', ...Object.keys(texts), '--frame', frame, ...target]);
        for (const [name, text] of Object.entries(texts))
          assert.ok(
            stdout.split('\n').some((line) => line.replace(/ +/g, ' ') === `${name} 0 ${text.replace(/ +/g, ' ')}`),
            stdout,
          );
      }
    }

    it('are read as the program has set them', () => areTold('--launcher', String(job.pid)));

    it('are read from a core file', async () => {
      const core = join(workshop.directory, 'core');
      execFileSync('gdb', ['-q', '-batch', '-p', pid, '-ex', `gcore ${core}`], { stdio: 'ignore' });
      await areTold('--core', core);
    });

    it('have no text where they are not there', async () => {
      const { stdout } = await runCli(['print', 'none', '--frame', 'character_arrays', '--launcher', String(job.pid)]);
      assert.match(stdout, /^none +0 +gdb does not know its type/m);
    });
  });
}
