/** Programs that were compiled from copies of their sources elsewhere, and what is said of lines that have no code. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from './debug-run';

interface Language {
  compiler: string;
  file: string;
  text: string;
  /** What another program has in a file of this name. */
  another: string;
}

const languages: readonly Language[] = [
  {
    compiler: 'mpicc.mpich',
    file: 'src/relax.c',
    text: `#include <mpi.h>

static int lap;

static void
relax(int rank)
{
  lap += rank; /* stop here */
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  relax(rank);
  MPI_Finalize();
}
`,
    another: `#include <stdio.h>
int relax(double x) {
  return x > 1;
}


int main(void) {
  printf("another program\\n"); /* stop here */
  return relax(2);
}
`,
  },
  {
    compiler: 'mpicxx.mpich',
    file: 'src/solver/torus.cpp',
    text: `#include <mpi.h>
#include <vector>

namespace {
struct Torus {
  std::vector<double> values;
  explicit Torus(int n) : values(n) {}
  void step(int rank);
};

void Torus::step(int rank) {
  for (auto &each : values) each += rank; // stop here
}
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Torus torus(4);
  auto twice = [&](int n) { torus.step(n); torus.step(n); };
  twice(1);
  MPI_Finalize();
}
`,
    another: `int step() { return 1; }
// stop here
int main() { return step(); }
`,
  },
  {
    compiler: 'mpifort.mpich',
    file: 'src/halo.f90',
    text: `module halo
  implicit none
contains
  subroutine Exchange(n)
    integer, intent(in) :: n
    print *, 'exchanged', n ! stop here
  end subroutine
end module

program main
  use mpi
  use halo
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call exchange(3)
  call MPI_Finalize(ierr)
end program
`,
    another: `program another
  print *, 'stop here'
end program
`,
  },
];

for (const { compiler, file, text, another } of languages) {
  describe(`sources of ${file} compiled by ${compiler}`, () => {
    let folder: string;
    let built: string;
    let program: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'mpidbg-moved-'));
      built = join(folder, 'build');
      program = join(folder, 'program');
      write(join(built, file), text);
      // Modules of Fortran are written where the compiler runs.
      execFileSync(compiler, ['-g', '-O0', join(built, file), '-o', program], { cwd: built });
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('are found in the folder that they have been moved to, which is said once', async () => {
      const now = join(folder, 'home', 'me');
      mkdirSync(dirname(now), { recursive: true });
      renameSync(built, now);
      const run = await launched(program, async (run) => {
        assert.equal((await breakIn(run, now)).verified, true);
        const [last] = await breakAt(run, join(now, file), [text.split('\n').length + 5]);
        assert.match(last?.message ?? '', /^no code in line \d+ of \S+ or below it$/);
        await breakIn(run, now);
      });
      await run.nextStop();
      const frame = await run.topFrame(0);
      assert.deepEqual([frame.source?.path, frame.line], [join(now, file), lineOf(text)]);
      assert.deepEqual(told(run), [
        `the program was compiled from ${join(built, file)}: sources below ${built} are taken from ${now} (to keep that, put "sourceFileMap": ${JSON.stringify({ [built]: now })} into launch.json)`,
      ]);
      await run.close();
    });

    it('are found in a copy that is the same, and in no other file of that name', async () => {
      const [copy, other, gone] = ['copy', 'other', 'gone'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      cpSync(built, copy, { recursive: true });
      write(join(other, file), another);
      let run = await launched(program, async (run) => {
        const refused = await breakIn(run, other, another);
        assert.equal(refused.verified, false);
        assert.match(
          refused.message ?? '',
          new RegExp(`^the program was compiled from ${join(built, file)}, and this file is another`),
        );
        const [unknown] = await breakAt(run, join(other, 'no-such-file.c'), [1]);
        assert.match(
          unknown?.message ?? '',
          /^nothing that is loaded now was compiled from a file named no-such-file.c/,
        );
        assert.equal((await breakIn(run, copy)).verified, true);
      });
      await run.nextStop();
      assert.equal((await run.topFrame(0)).source?.path, join(copy, file));
      await run.close();
      // Nor where what it was compiled from can be compared no more.
      renameSync(built, gone);
      run = await launched(program, async (run) => {
        assert.equal((await breakIn(run, other, another)).verified, false);
        assert.deepEqual(told(run), []);
        await breakAt(run, join(other, file), []);
      });
      await run.close();
    });

    it('are told to be newer than the program', async () => {
      const now = new Date();
      utimesSync(join(built, file), now, now);
      utimesSync(program, now, new Date(now.getTime() - 5000));
      const run = await launched(program, async (run) => {
        const { verified, message } = await breakIn(run, built);
        assert.equal(verified, true);
        assert.equal(message, `${basename(file)} was changed after the program was built: build it again`);
      });
      await run.close();
    });

    it('are unknown where the program has no debug information', async () => {
      execFileSync('strip', ['-g', program]);
      const run = await launched(program, async (run) => {
        const { verified, message } = await breakIn(run, built);
        assert.equal(verified, false);
        assert.equal(
          message,
          'the program has no debug information, so its lines are unknown: compile with -g; of what a script or a container starts, they are known when it has begun',
        );
      });
      await run.close();
    });

    const breakIn = async (run: DebugRun, below: string, contents = text): Promise<DebugProtocol.Breakpoint> =>
      (await breakAt(run, join(below, file), [lineOf(contents)]))[0]!;
  });
}

it('a copy of one file, beside the file that the compiler was given below its folder, is found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-moved-'));
  const [built, copy, program] = [join(folder, 'build'), join(folder, 'copy', 'relax.c'), join(folder, 'program')];
  const { file, text } = languages[0]!;
  write(join(built, file), text);
  write(copy, text);
  execFileSync('mpicc.mpich', ['-g', '-O0', file, '-o', program], { cwd: built });
  const run = await launched(program, async (run) => {
    assert.equal((await breakAt(run, copy, [lineOf(text)]))[0]?.verified, true);
  });
  await run.nextStop();
  assert.equal((await run.topFrame(0)).source?.path, copy);
  assert.match(told(run).join(), /"sourceFileMap": \{"[^"]+\/build\/src":"[^"]+\/copy","src":"[^"]+\/copy"\}/);
  await run.close();
  rmSync(folder, { recursive: true });
});

function lineOf(text: string): number {
  return text.split('\n').findIndex((line) => line.includes('stop here')) + 1;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function launched(program: string, configure: (run: DebugRun) => Promise<void>): Promise<DebugRun> {
  const run = await DebugRun.open();
  const options = { mpi: 'mpich' as const, program: 'ring', ranks: 2, attributes: { program } };
  await run.launch(options, () => configure(run));
  return run;
}

async function breakAt(run: DebugRun, path: string, lines: readonly number[]): Promise<DebugProtocol.Breakpoint[]> {
  const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
    source: { path },
    breakpoints: lines.map((line) => ({ line })),
  });
  return breakpoints;
}

function told(run: DebugRun): string[] {
  return run.client
    .outputText('console')
    .split('\n')
    .filter((line) => line.startsWith('the program was compiled from'));
}
