/** Arrays of CHARACTER whose length is known at run time only. Truth: what the program sets them to. */
import assert from 'node:assert/strict';
import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { allMpis, launchers } from '../support/sample-job';

const source = `
module buoys
  implicit none
  type :: buoy
    character(len=:), allocatable :: label
    character(len=:), allocatable :: names(:)
  end type
contains
  subroutine wait_in(every_other, backwards, table)
    character(*), intent(in) :: every_other(:), backwards(:), table(:, :)
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
  call wait_in(seas(2::2), seas(3:1:-1), square)
  if (allocated(none)) print *, none
end program
`;

/** By the frame that has them. */
const set = {
  character_arrays: {
    words: "('alpha', 'beta ', 'gamma')",
    pointed: "('reef ', 'ocean', 'north')",
    'one%names': "('x1', 'y2')",
    'several(2)%names': "('in an array', 'of buoys   ')",
  },
  wait_in: {
    every_other: "('ocean', 'tide ')",
    backwards: "('reef ', 'ocean', 'north')",
    table: "('a  ', 'bb ', 'ccc', 'd  ')",
  },
};

for (const mpi of allMpis) {
  describe(`arrays of CHARACTER of a length known at run time, with ${mpi}`, () => {
    let workshop: Workshop;
    let job: ChildProcess;
    let pid = '';

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('character_arrays', source.trim(), `mpifort.${mpi}`, ['-g', '-O0']);
      const { command, args, env } = launchers[mpi];
      job = spawn(command, [...args, '-n', '1', path], {
        ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
      });
      for await (const line of createInterface({ input: job.stdout! })) if (line === 'waits') break;
      pid = execFileSync('pgrep', ['-f', `^${path}`], { encoding: 'utf8' }).trim();
    });
    after(async () => {
      const ended = once(job, 'close');
      job.kill();
      job.stdout?.resume();
      await ended;
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
