/** A rank whose first thread has ended, as by pthread_exit in main, goes on with its others, and so does its debugger. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import { openWorkshop } from '../support/compile';
import { processState, tracerOf } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, type Mpi } from '../support/sample-job';
import { ShellJob } from '../support/shell-job';
import { DebugRun } from './debug-run';

/** The worker of rank 1 says so when the kernel has called its first thread ended for longer than a debugger looks. */
const program = `#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static MPI_Comm ocean;
static int rank;
static int first_has_ended(void) {
    char line[512] = "";
    FILE *stat = fopen("/proc/self/stat", "r");
    fgets(line, sizeof line, stat);
    fclose(stat);
    return strstr(line, ") Z") != NULL;
}
static void *work(void *unused) {
    int lap = 7 + rank, x;
    while (rank == 1 && !first_has_ended()) usleep(1000);
    if (rank == 1) sleep(2);
    printf("at %d %d works\\n", (int)getpid(), rank);
    fflush(stdout);
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, lap, ocean, MPI_STATUS_IGNORE);
    return unused;
}
int main(int argc, char **argv) {
    int provided;
    pthread_t worker;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    pthread_create(&worker, NULL, work, NULL);
    if (rank == 1) pthread_exit(NULL);
    pthread_join(worker, NULL);
    MPI_Finalize();
    return 0;
}
`;

/** `remark`: what the debugger says of the threads of rank 1. */
async function assertThatItWorks(run: DebugRun, remark: string): Promise<void> {
  const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
  assert.deepEqual(
    ranks.map(({ rank, state }) => ({ rank, state })),
    [0, 1].map((rank) => ({ rank, state: 'stopped' })),
  );
  const { ranks: rows } = await run.client.request<RanksBody>('mpidbg/ranks', { places: true });
  assert.deepEqual(
    rows.map(({ mainHasEnded }) => mainHasEnded),
    [undefined, true],
  );
  const [first = '', second = ''] = (await run.evaluate('mpi ranks', 'repl')).result.split('\n');
  assert.match(first, /pid \d+$/);
  assert.ok(second.endsWith(`  ${remark}`), second);
  const { sentence, evidence } = await run.client.request<HangDocument>('mpidbg/hang');
  assert.match(sentence, /The main thread of rank 1 has ended, others go on\./);
  assert.ok(
    evidence.some(({ rank, fact }) => rank === 1 && fact === 'the main thread has ended, others go on'),
    JSON.stringify(evidence),
  );
  const stacks = await Promise.all(ranks[1]!.threadIds.map((id) => run.frames(id)));
  const names = stacks.map((frames) => frames.map(({ name }) => name).join(' < '));
  const stack = stacks.find((frames) => frames.some(({ name }) => name === 'work'));
  assert.ok(
    stack?.some(({ name }) => /MPI_Recv$/.test(name)),
    names.join('\n'),
  );
  const { id: frameId } = stack!.find(({ name }) => name === 'work')!;
  assert.equal((await run.locals(frameId)).find(({ name }) => name === 'lap')?.value, '8');
  const asked = { expression: 'ocean', frameId, context: 'watch' };
  const { result } = await run.client.request<{ result: string }>('evaluate', asked);
  assert.equal(result, 'MPI_Comm "ocean" · rank 1 of 2');
}

const said = 'the main thread has ended, others go on';

describe('a rank whose first thread has ended', () => {
  const workshop = openWorkshop();
  const paths = new Map<Mpi, string>();
  before(() => {
    for (const mpi of allMpis)
      paths.set(mpi, workshop.compile(`leaves-${mpi}`, program, `mpicc.${mpi}`, ['-g', '-O0', '-pthread']));
  });
  after(() => workshop.close());

  for (const mpi of allMpis) {
    it(`is debugged by its others with ${mpi}, launched`, async () => {
      const attributes = { program: paths.get(mpi)! };
      const run = await DebugRun.launch({ mpi, program: 'ring', ranks: 2, attributes });
      await run.client.waitFor('output', ({ body }) => /at \d+ 1 works/.test((body as { output: string }).output));
      await run.client.request('pause', { threadId: await run.threadOf(1) });
      await run.nextStop();
      await assertThatItWorks(run, said);
      await run.close();
    });

    it(`is debugged by its others with ${mpi}, attached to, and let go`, async () => {
      const job = await ShellJob.start(mpi, `"$@" -n 2 ${paths.get(mpi)!}`, 2);
      try {
        // Beside the ended one and the worker: those of the library, which gdb had when it has launched the rank.
        const others = readdirSync(`/proc/${job.pids.get(1)!}/task`).length - 2;
        const more = `${others} more ${others === 1 ? 'is' : 'are'} neither shown nor stopped`;
        const remark = `${said}; gdb can attach to only one of them, and ${more}`;
        const told = async (command: string): Promise<string> =>
          (await runCli([command, '--launcher', String(job.pid)])).stdout;
        assert.match(await told('info'), new RegExp(`^ *(MPI +)?1 +.*MPI_THREAD_MULTIPLE, ${said}$`, 'm'));
        assert.match(await told('stacks'), new RegExp(`^rank 1: ${remark}$`, 'm'));
        assert.match(await told('hang'), /^Rank 0 waits .* The main thread of rank 1 has ended, others go on\.$/m);
        const run = await DebugRun.open();
        await run.attach({ launcherPid: job.pid });
        await run.nextStop();
        await assertThatItWorks(run, remark);
        await run.close();
        const left = readdirSync(`/proc/${job.pids.get(1)!}/task`);
        assert.deepEqual(
          left.map(Number).filter((thread) => tracerOf(thread) !== 0),
          [],
        );
        assert.ok(
          left.some((thread) => /^[SR]$/.test(processState(Number(thread)) ?? '')),
          left.join(),
        );
      } finally {
        await job.end();
      }
    });
  }
});
