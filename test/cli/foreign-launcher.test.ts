/** A program that the launcher of another MPI starts is rank 0 of 1 in each process: told when it starts, and by whoever asks. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openWorkshop } from '../support/compile';
import { cli, runCli } from '../support/run-cli';
import { allMpis, launchers } from '../support/sample-job';

const source = `#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\\n", rank, size);
    fflush(stdout);
    pause();
    return 0;
}
`;

describe('the launcher of another MPI', () => {
  const workshop = openWorkshop();
  after(() => workshop.close());

  for (const mpi of allMpis) {
    const other = mpi === 'mpich' ? 'openmpi' : 'mpich';
    it(`is named by run, info and hang: ${mpi} program`, async () => {
      const program = workshop.compile(`alone-${mpi}`, source, `mpicc.${mpi}`, []);
      const { command, args, env } = launchers[other];
      const words = [cli, 'run', '--', command, ...args, '-n', '2', program];
      const run = spawn(process.execPath, words, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
      });
      let [stdout, stderr] = ['', ''];
      run.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      run.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      const exit = once(run, 'exit');
      try {
        while (stdout.split('rank 0 of 1').length < 3) await once(run.stdout, 'data');
        while (!stderr.includes('\n')) await once(run.stderr, 'data');
        const title = { openmpi: 'Open MPI', mpich: 'MPICH' };
        assert.match(
          stderr,
          new RegExp(
            `mpidbg: .*alone-${mpi} is linked with ${title[mpi]}.* is one of ${title[other]}: each of its processes will be rank 0 of 1`,
          ),
        );
        const launcher = ['--launcher', String(run.pid)];
        const info = await runCli(['info', ...launcher]);
        assert.match(info.stdout, /MPI takes each of 0-1 for rank 0 of 1: the launcher, or how it was called/);
        assert.doesNotMatch(info.stdout, /rejected|does not fit/);
        const hang = await runCli(['hang', ...launcher]);
        assert.match(hang.stdout, /MPI takes it for rank 0 of 1, its launcher for one of 2 ranks/);
      } finally {
        run.kill('SIGTERM');
        await exit;
      }
    });
  }
});
