/** A communicator that the program has freed while operations keep it, beside one with as many operations that it has not freed. */
import assert from 'node:assert/strict';
import type { CommInfo, Document } from '../../plugin-api/mpi/records';
import { openWorkshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { allMpis } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

const program = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  MPI_Comm kept, freed, variable;
  MPI_Request requests[4];
  int numbers[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  MPI_Comm_dup(MPI_COMM_WORLD, &variable);
  freed = variable;
  for (int i = 0; i < 4; i++) MPI_Irecv(&numbers[i], 1, MPI_INT, 0, i, i < 2 ? kept : freed, &requests[i]);
  MPI_Comm_free(&variable);
  puts("waits");
  fflush(stdout);
  for (;;) pause();
}
`;

for (const mpi of allMpis)
  it(`a communicator of ${mpi} that was freed while operations keep it is told from one that was not, as far as its memory tells`, async () => {
    const workshop = openWorkshop();
    let job: ToldJob | undefined;
    try {
      const path = workshop.compile('frees', program, `mpicc.${mpi}`, ['-g', '-O0']);
      job = await ToldJob.start(mpi, ['-n', '1', path], (line) => line === 'waits');
      const { stdout } = await runCli([
        'show',
        'kept',
        'freed',
        '--frame',
        'main',
        '--launcher',
        String(job.pid),
        '--json',
      ]);
      const [rank] = (JSON.parse(stdout) as Document).ranks;
      assert.ok(rank !== undefined && 'answers' in rank, stdout);
      const [kept, freed] = rank.answers.map((answer) => {
        assert.equal(answer.code, 'MPIDBG_SUCCESS', stdout);
        return (answer as { info: CommInfo }).info;
      });
      assert.deepEqual(
        [kept!.flags, freed!.flags].map((flags) => flags.includes('freedHandle')),
        [false, mpi === 'openmpi'],
      );
      // MPICH marks none.
      if (mpi === 'mpich') assert.ok(freed!.unknownFlags?.includes('freedHandle'), stdout);
    } finally {
      await job?.kill();
      workshop.close();
    }
  });
