/** A job that ends while it is asked why it hangs. */
import assert from 'node:assert/strict';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { ToldJob } from '../support/told-job';

/** Both ranks wait for each other. The kernel ends epoll_wait when a look lets the rank go on, and the thread ends the job. */
const program = `
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static void *end_when_looked_at(void *unused) {
  struct epoll_event event;
  epoll_wait(epoll_create1(0), &event, 1, -1);
  _exit(1);
}

int main(int argc, char **argv) {
  int rank, message;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    pthread_create(&thread, NULL, end_when_looked_at, NULL);
    printf("waits\\n");
    fflush(stdout);
  }
  MPI_Recv(&message, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
`;
/** Seconds from the first look to the second: the job needs them to end. */
const timeToEnd = '15';

// What is told does not depend on the MPI.
describe('a job that ends between two looks', () => {
  let workshop: Workshop;
  let job: ToldJob;
  before(async () => {
    workshop = openWorkshop();
    const path = workshop.compile('looked-at', program.trim(), 'mpicc.openmpi', ['-g']);
    job = await ToldJob.start('openmpi', ['-n', '2', path], (line) => line === 'waits');
  });
  after(async () => {
    await (job as ToldJob | undefined)?.kill();
    workshop.close();
  });

  it('did not hang', async () => {
    const { status, stdout, stderr } = await runCli(['hang', '--launcher', String(job.pid), '--look-again', timeToEnd]);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^mpidbg: the job has ended between two looks: it did not hang$/m);
  });
});
