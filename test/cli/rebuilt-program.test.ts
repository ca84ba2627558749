/** Core files of a program that was built again since: only what needs its file is unknown. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { openWorkshop } from '../support/compile';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';
import { ShellJob } from '../support/shell-job';
import { patienceMs } from '../support/patience';

const program = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
double heights[3] = {1, 2, FIRST};
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_rank(ocean, &rank);
    MPI_Comm_size(ocean, &size);
    printf("at %d %d of %d\\n", (int)getpid(), rank, size);
    fflush(stdout);
    pause();
    return (int)heights[2];
}`;

/** Tables that are no longer in the first page, which alone is in a core file. */
const names = Array.from({ length: 400 }, (_, index) => `int exported_function_${index}(void) { return ${index}; }`);
const source = [program, ...names].join('\n');

for (const mpi of eitherMpi('rebuilt program'))
  describe(`the core files of a program of ${mpi} that was built again`, () => {
    const folder = new CoreFolder();
    const workshop = openWorkshop();
    const cores: string[] = [];
    let path: string;
    const ask = (...words: string[]) => runCli([...words, '--core', ...cores], patienceMs, { DEBUGINFOD_URLS: '' });

    before(async () => {
      const build = (name: string, first: string): string =>
        workshop.compile(name, source, `mpicc.${mpi}`, ['-g', '-rdynamic', `-DFIRST=${first}`]);
      path = build('solver', '0.0/0.0');
      const pattern = folder.inFolderOfRank().join(' ');
      const job = await ShellJob.start(mpi, `"$@" -n 2 ${pattern} ${path}`, 2);
      try {
        const pids = [0, 1].map((rank) => job.pids.get(rank)!);
        cores.push(
          ...(await folder.crashWaiting({ pids, launcherPid: job.pid, kill: () => job.end() }, { signal: 'SIGSEGV' })),
        );
      } finally {
        await job.end();
      }
      renameSync(build('again', '3'), path);
    });
    after(() => {
      workshop.close();
      folder.remove();
    });

    it('have their handles and their stacks', async () => {
      const { stdout, stderr } = await ask('handles');
      assert.match(stdout, /^ {2}0-1 +MPI_Comm "ocean" · rank \(1,0\) of 2$/m);
      const id = /Build ID: ([0-9a-f]+)/.exec(execFileSync('readelf', ['-n', path], { encoding: 'utf8' }))![1]!;
      assert.ok(stderr.includes(`${path} here is another build (build-id ${id}) than the one that wrote it`), stderr);
      assert.match((await ask('stacks', '--full')).stdout, /\bpause\b/);
    });

    it('have no variables of it: the reason is told, and nothing is said to hold no NaN', async () => {
      assert.match(
        (await ask('print', 'heights[2]')).stdout,
        // Where nothing has debug information, gdb does not name it.
        /^heights\[2\] +0-1 +No symbol (?:"heights" in current context|is known here); it may be in a file of which nothing is here$/m,
      );
      const { stdout } = await ask('nan');
      assert.doesNotMatch(stdout, /no NaN/);
      assert.match(stdout, /not looked at:\n +all variables of solver +0-1 +\S+\/solver here is another one/);
    });
  });
