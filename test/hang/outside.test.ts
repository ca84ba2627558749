/** Ranks that wait for something that is no message: the program itself tells the paths and processes. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { allMpis } from '../support/sample-job';
import { intoMap, ToldJob } from '../support/told-job';

/** Each rank but the first waits elsewhere; rank 0 has the lock that rank 4 waits for. argv[1]: a folder. */
const program = `
#include <mpi.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, ends[2];
  char lock[4096], fifo[4096], byte;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(lock, sizeof lock, "%s/lock", argv[1]);
  snprintf(fifo, sizeof fifo, "%s/fifo", argv[1]);
  int file = open(lock, O_CREAT | O_RDWR, 0600);
  if (rank == 0) {
    flock(file, LOCK_EX);
    mkfifo(fifo, 0600);
    printf("lock\\t%s\\nfifo\\t%s\\n", lock, fifo);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int child = rank == 2 ? fork() : 1;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp("sleep", "sleep", "3600", NULL);
  }
  if (rank == 2) MPI_Send(&child, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&child, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("child\\t%d\\nwaits\\n", child);
    fflush(stdout);
  }
  if (rank == 1) open(fifo, O_RDONLY);
  if (rank == 2) waitpid(child, NULL, 0);
  if (rank == 3 && pipe(ends) == 0 && read(ends[0], &byte, 1) < 0) return 1;
  if (rank == 4) flock(file, LOCK_SH);
  if (rank == 5) sleep(3600);
  if (rank == 6) getc(popen("exec sleep 300", "r"));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
`;

for (const mpi of allMpis) {
  describe(`ranks of ${mpi} that wait outside MPI`, () => {
    let workshop: Workshop;
    let job: ToldJob;
    const told = new Map<string, string>();

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('outside', program.trim(), `mpicc.${mpi}`, ['-g', '-O0', '-w']);
      job = await ToldJob.start(mpi, ['-n', '7', path, workshop.directory], intoMap(told));
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      rmSync(join(workshop.directory, 'fifo'), { force: true });
      workshop.close();
    });

    it('are told first, by what they wait for and who has it', async () => {
      const waits = (await hang()).ranks.map((rank) => ('waitsIn' in rank ? rank.waitsIn : undefined));
      const [of0, of1, of2, of3, of4, of5, of6] = waits;
      assert.equal(of0, undefined);
      assert.match(of1?.call ?? '', /^open(at)?$/);
      assert.equal(of1?.what, `to open ${told.get('fifo')}`);
      const child = `process ${told.get('child')} (sleep 3600), which it has started`;
      assert.deepEqual(of2, { call: 'wait4', what: `for ${child}, to end` });
      assert.deepEqual(of3, { call: 'read', what: 'for data from a pipe whose other end it has itself' });
      assert.equal(of4?.call, 'flock');
      assert.equal(of4.what, `for a lock of ${told.get('lock')}`);
      assert.match(of5?.call ?? '', /nanosleep$/);
      assert.match(of5?.what ?? '', /^for 3[56]\d\d s to pass$/);
      assert.match(of6?.what ?? '', /^for data from a pipe from process \d+ \(sleep 300\), which it has started$/);
    });

    it('are no progress where a rank that waits in MPI has what they wait for', async () => {
      const { verdict, sentence } = await hang();
      assert.equal(verdict, 'unknown', sentence);
      assert.match(sentence, /^Rank 1 waits in open(at)? \(outside\.c:\d+\) to open /);
      assert.ok(sentence.includes(`for a lock of ${told.get('lock')}, which rank 0 has.`), sentence);
      assert.match(sentence, /Rank 0 waits for them in MPI_Barrier \(outside\.c:\d+\)\./);
    });

    it('are told so in their stacks', async () => {
      const { stdout } = await runCli(['stacks', '--launcher', String(job.pid)]);
      assert.match(
        stdout,
        /^rank 3 \(1 of 7\) in read at outside\.c:\d+, waits in read for data from a pipe whose other end it has itself$/m,
      );
    });

    async function hang(): Promise<HangDocument> {
      const { stdout, stderr } = await runCli(['hang', '--json', '--launcher', String(job.pid)]);
      assert.equal(stderr, '');
      return JSON.parse(stdout) as HangDocument;
    }
  });
}
