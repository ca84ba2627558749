/**
 * mpidbg run before a container runtime, which shows its program /tmp, but not the folder of mpidbg. Here the runtime is a script, and only its
 * name is real; test/hosts/containers.test.ts runs one.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openWorkshop, type Workshop } from '../support/compile';
import { patienceMs } from '../support/patience';
import { cli } from '../support/run-cli';
import { eitherMpi, launchers } from '../support/sample-job';

/** Its file is gone when it dies: in a container it has another path than for us. */
const program = `
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, sent[8] = {0}, got[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("preloaded %s\\n", getenv("LD_PRELOAD"));
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        unlink(argv[0]);
        MPI_Send(sent, 8, MPI_INT, 1, 7, MPI_COMM_WORLD);
    } else
        MPI_Recv(got, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // stop
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`;

for (const mpi of eitherMpi('containers'))
  describe(`mpidbg run before a container runtime under ${mpi}`, () => {
    let workshop: Workshop;
    before(() => (workshop = openWorkshop()));
    after(() => workshop.close());

    const { command, env } = launchers[mpi];
    /** The runtime: a shell's words before it becomes the program. */
    const run = (words: string, ...collected: string[]) => {
      const runtime = join(workshop.directory, 'apptainer');
      writeFileSync(runtime, `#!/bin/sh\nshift 2; ${words} exec "$@"`, { mode: 0o755 });
      const path = workshop.compile('solver', program, `mpicc.${mpi}`, ['-g']);
      const job = [command, '-n', '2', runtime, 'exec', 'image.sif', path];
      return spawnSync(process.execPath, [cli, 'run', ...collected, '--', ...job], {
        ...{ encoding: 'utf8', env: { ...process.env, ...env }, timeout: patienceMs },
      });
    };

    for (const collected of [[], ['--collect', 'calls']])
      it(`loads its libraries from /tmp${collected.length > 0 ? ', the collector too' : ''}`, () => {
        const { stdout, stderr } = run('', ...collected);
        const libraries = /^preloaded (.*)$/m
          .exec(stdout)![1]!
          .split(':')
          .filter((each) => each.includes('mpidbg'));
        assert.equal(libraries.length, collected.length === 0 ? 1 : 3, stdout);
        const folders = [...new Set(libraries.map((each) => dirname(each)))];
        assert.match(folders.join(), /^\/tmp\/mpidbg-libraries-\w{6}$/);
        assert.equal(existsSync(folders[0]!), false, 'it goes with the job');
        const line = program.slice(0, program.indexOf('// stop')).split('\n').length;
        assert.match(
          stderr,
          new RegExp(`mpidbg: rank 1 died of MPI_ERR_TRUNCATE.*\\n.*\\n +at solver\\.c:${line} in main`),
        );
      });

    it('says what the container must show, where it hides that', () => {
      const { stderr } = run('unset LD_PRELOAD;');
      assert.match(stderr, /mpidbg: in a container, ranks can only say how they die if it shows them \/tmp/);
      assert.doesNotMatch(stderr, /died of/);
    });
  });
