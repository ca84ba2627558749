/** The command line on Fortran programs as they are built and moved: sources elsewhere or nowhere, optimized code. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runCli } from '../support/run-cli';
import { eitherMpi, launchers, type Mpi } from '../support/sample-job';

const program = `program drift
  use mpi
  implicit none
  integer :: ocean, rank, ierror
  call MPI_Init(ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, ocean, ierror)
  call MPI_Comm_set_name(ocean, "ocean", ierror)
  call MPI_Comm_rank(ocean, rank, ierror)
  call wait_here(ocean, MPI_COMM_WORLD, rank)
  call MPI_Comm_free(ocean, ierror)
  call MPI_Finalize(ierror)
contains
  subroutine wait_here(comm, world, number)
    integer, intent(in) :: comm, world, number
    integer :: size, copy, ierror
    copy = world
    call MPI_Comm_size(copy, size, ierror)
    call MPI_Comm_size(comm, size, ierror)
    print '(a, i0)', "waits ", number
    flush (6)
    call sleep(1000)
    print '(a, i0)', "goes on ", size
  end subroutine wait_here
end program drift
`;

/** Two ranks that wait in a procedure of their program; the source is in \`src\`. */
class WaitingDrift {
  readonly folder = mkdtempSync(join(tmpdir(), 'mpidbg-drift-'));
  private launcher: ChildProcess | undefined;

  get target(): string[] {
    return ['--launcher', String(this.launcher?.pid)];
  }

  async start(mpi: Mpi, options: string[]): Promise<void> {
    const src = join(this.folder, 'src');
    mkdirSync(src);
    writeFileSync(join(src, 'drift.f90'), program);
    execFileSync(`mpifort.${mpi}`, ['-g', ...options, join(src, 'drift.f90'), '-o', 'drift'], { cwd: this.folder });
    const { command, args, env } = launchers[mpi];
    const launcher = spawn(command, [...args, '-n', '2', join(this.folder, 'drift')], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.launcher = launcher;
    let waiting = 0;
    for await (const line of createInterface({ input: launcher.stdout })) {
      waiting += line.startsWith('waits ') ? 1 : 0;
      if (waiting === 2) return;
    }
    throw new Error('the program ended before its ranks waited');
  }

  async end(): Promise<void> {
    if (this.launcher?.exitCode === null) {
      this.launcher.kill('SIGTERM');
      await once(this.launcher, 'exit', { signal: AbortSignal.timeout(30_000) });
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

for (const mpi of eitherMpi('fortran sources')) {
  describe(`mpidbg show on a Fortran program of ${mpi}`, () => {
    const drift = new WaitingDrift();
    const show = async (...words: string[]): Promise<string> =>
      (await runCli(['show', ...words, ...drift.target])).stdout;

    before(() => drift.start(mpi, ['-O0']));
    after(() => drift.end());

    it('reads its INTEGERs as handles, from whatever folder', async () => {
      assert.match(await show('comm'), /^comm +0-1 +MPI_Comm "ocean" · rank 0-1 of 2$/m);
    });

    it('takes --frame main for the program, not for what the compiler makes around it', async () => {
      for (const name of ['main', 'MAIN__', 'drift']) {
        assert.match(await show('ocean', '--frame', name), /^ocean +0-1 +MPI_Comm "ocean" · rank 0-1 of 2$/m);
      }
    });

    it('says once which expressions no rank could evaluate', async () => {
      const { stderr, status } = await runCli(['show', 'no_such_a', 'no_such_b', ...drift.target]);
      assert.equal(status, 1);
      assert.equal(stderr, 'mpidbg: no rank could evaluate no_such_a, no_such_b: check their names, or --frame\n');
    });

    it('names the source that is missing, decodes what is named, and finds moved sources', async () => {
      const moved = join(drift.folder, 'moved');
      const src = join(drift.folder, 'src');
      renameSync(src, moved);
      try {
        const text = await show('comm', 'comm.f:comm');
        assert.ok(text.includes(`${src}/drift.f90, which would tell, was not found`), text);
        assert.match(text, /^comm\.f:comm +0-1 +MPI_Comm "ocean"/m);
        assert.match(
          await show('comm', '--source-map', `${src}=${moved}`),
          /^comm +0-1 +MPI_Comm "ocean" · rank 0-1 of 2$/m,
        );
      } finally {
        renameSync(moved, src);
      }
    });
  });

  describe(`mpidbg show on an optimized Fortran program of ${mpi}`, () => {
    const drift = new WaitingDrift();

    before(() => drift.start(mpi, ['-O2']));
    after(() => drift.end());

    it('says what is optimized out, and what to do', async () => {
      const { stdout } = await runCli(['show', 'world', ...drift.target]);
      assert.match(stdout, /world is optimized out here: compile with -O0 or -Og/);
    });

    it('reads variables named as intrinsics of a program that is inlined', async () => {
      const { stdout } = await runCli(['show', 'comm.f:rank', '--frame', 'main', ...drift.target]);
      assert.doesNotMatch(stdout, /No symbol|syntax error/);
      assert.match(stdout, mpi === 'openmpi' ? /MPI_COMM_WORLD · rank 0 of 2/ : /not a handle of MPICH/);
    });
  });
}
