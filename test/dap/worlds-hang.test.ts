/** mpidbg/hang across worlds. Who waits for whom each process says itself, by numbers that they have exchanged through MPI. */
import assert from 'node:assert/strict';
import type { RankId } from '../../plugin-api/mpi/records';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { openWorkshop } from '../support/compile';
import { allMpis, type Mpi } from '../support/sample-job';
import { ShellJob } from '../support/shell-job';
import { DebugRun } from './debug-run';
import { nameOf, ranksOf, stopped } from './world-ranks';

const source = `
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NUMBER of this process, and of the one for whose message it waits; -1: for that of no other process. */
static void say(int number, int other) { printf("at %d %d waits for %d\\n", (int)getpid(), number, other); fflush(stdout); }

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int rank, size, number, x, from, numbers[16];
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm parent, children, with = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    number = atoi(argv[2]) + rank;
    if (!strcmp(what, "spawn") || !strcmp(what, "multiple")) {
        char *arguments[] = { !strcmp(what, "spawn") ? "child" : "part", "200", NULL };
        char *others[] = { "part", "300", NULL };
        char *programs[] = { argv[0], argv[0] };
        char **all[] = { arguments, others };
        int counts[] = { 1, 1 };
        MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
        if (!strcmp(what, "spawn"))
            MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        else
            MPI_Comm_spawn_multiple(2, programs, all, counts, infos, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        with = children;
    } else if (parent != MPI_COMM_NULL)
        with = parent;
    if (!strcmp(what, "multiple") || !strcmp(what, "part")) MPI_Intercomm_merge(with, with == parent, &with);
    if (!strcmp(what, "accept")) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(number, -1);
        if (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &with);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(what, "offer")) {
        if (rank == 0) {
            FILE *file = fopen("port.part", "w");
            MPI_Open_port(MPI_INFO_NULL, port);
            fputs(port, file);
            fclose(file);
            rename("port.part", "port");
        }
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &with);
    }
    if (!strcmp(what, "connect")) {
        if (rank == 0) {
            FILE *file;
            while ((file = fopen("port", "r")) == NULL) usleep(10000);
            fgets(port, sizeof port, file);
            fclose(file);
        }
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &with);
    }
    MPI_Allgather(&number, 1, MPI_INT, numbers, 1, MPI_INT, with);
    MPI_Comm_rank(with, &rank);
    MPI_Comm_size(with, &size);
    from = !strcmp(what, "ring") || !strcmp(what, "multiple") || !strcmp(what, "part") ? (rank + 1) % size : rank;
    say(number, numbers[from]);
    MPI_Recv(&x, 1, MPI_INT, from, 7, with, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
`;

/** `last`: whether a verdict is the last one, while ranks may still be on their way. */
async function askUntil(run: DebugRun, names: string[], last: (found: HangDocument) => boolean): Promise<HangDocument> {
  for (;;) {
    const found = await run.client.request<HangDocument>('mpidbg/hang', {});
    if (last(found)) return found;
    const [first] = await ranksOf(run);
    await run.client.request('continue', { threadId: first!.threadIds[0] });
    await run.client.request('pause', { threadId: first!.threadIds[0] });
    await stopped(run, names);
  }
}

describe('mpidbg/hang across worlds', () => {
  const workshop = openWorkshop();
  const programs = new Map<Mpi, string>();
  let job: ShellJob | undefined;
  let run: DebugRun | undefined;
  before(() => {
    for (const mpi of allMpis) programs.set(mpi, workshop.compile(`hang-${mpi}`, source, `mpicc.${mpi}`, ['-g']));
  });
  after(() => workshop.close());
  afterEach(async () => {
    await run?.close();
    await job?.end();
    run = job = undefined;
  });

  /** Everything is stopped. `attributes`: of the session. */
  async function attached(mpi: Mpi, line: string, processes: number, attributes: { world?: string } = {}) {
    const started = await ShellJob.start(mpi, line.replaceAll('PROGRAM', programs.get(mpi)!), processes);
    job = started;
    const opened = await DebugRun.open();
    run = opened;
    await opened.attach({ launcherPid: started.pid, ...attributes });
    const names = (await ranksOf(opened)).map(nameOf);
    await stopped(opened, names);
    return { started, opened, names };
  }

  /** That each waits for whom it has said. */
  async function assertWaits({ pids, lines }: ShellJob, found: HangDocument, opened: DebugRun): Promise<void> {
    const numbers = new Map([...pids].map(([number, pid]) => [pid, number]));
    const known = new Map((await ranksOf(opened)).map((each) => [nameOf(each), numbers.get(each.pid!)]));
    const numberOf = ({ rank, world }: Pick<RankId, 'rank' | 'world'>): number | undefined =>
      known.get(`${world} ${rank}`);
    const told = lines.flatMap((line) => {
      const [, number, other] = /at \d+ (\d+) waits for (\d+)/.exec(line) ?? [];
      return number === undefined ? [] : [[Number(number), [Number(other)]] as const];
    });
    const waiting = found.ranks.map((each) => {
      assert.ok(!('error' in each), JSON.stringify(each));
      const { rank, world, waitsFor = [], waitsForRanks = waitsFor.map((other) => ({ rank: other, world })) } = each;
      return [
        numberOf({ rank, ...(world && { world }) }),
        waitsForRanks.map((other) => numberOf(other as RankId)),
      ] as const;
    });
    assert.deepEqual(new Map(waiting as never), new Map(told));
  }

  const isDeadlock = ({ verdict }: HangDocument): boolean => verdict === 'deadlock';

  for (const mpi of allMpis)
    it(`tells two jobs of ${mpi} below one shell apart`, async () => {
      const line = '"$@" -n 2 PROGRAM ring 100 & "$@" -n 3 PROGRAM ring 200 & wait';
      const { started, opened, names } = await attached(mpi, line, 5);
      const found = await askUntil(opened, names, isDeadlock);
      assert.equal(found.type, 'p2p-cycle', found.sentence);
      await assertWaits(started, found, opened);
      // A session for one of them alone.
      const ofSecond = (await ranksOf(opened)).find(({ pid }) => pid === started.pids.get(200))!;
      await opened.close();
      const alone = await DebugRun.open();
      run = alone;
      await alone.attach({ launcherPid: started.pid, world: ofSecond.world! });
      assert.deepEqual(
        (await ranksOf(alone)).map(({ rank, world, pid }) => [rank, world, pid]),
        [200, 201, 202].map((number, rank) => [rank, ofSecond.world, started.pids.get(number)]),
      );
      const some = await alone.client.request<{ ranks: string }>('mpidbg/rankSet', { comm: 'MPI_COMM_WORLD' });
      assert.equal(some.ranks, ofSecond.world === '0' ? '0-2' : `${ofSecond.world}:0-2`);
    });

  for (const how of ['spawn', 'multiple'])
    it(`follows waits between parents and their children: ${how}`, async () => {
      const { started, opened, names } = await attached('openmpi', `"$@" -n 2 PROGRAM ${how} 100; exit $?`, 4);
      const found = await askUntil(opened, names, isDeadlock);
      assert.equal(found.type, 'p2p-cycle', found.sentence);
      await assertWaits(started, found, opened);
    });

  it('follows waits between two jobs that have connected', async () => {
    const server = 'ompi-server --no-daemonize -r uri & while [ ! -s uri ]; do sleep 0.1; done';
    const jobs = ['offer 100', 'connect 200'].map((what) => `"$@" --ompi-server file:uri -n 2 PROGRAM ${what} &`);
    const line = `cd ${workshop.directory}; ${server}; ${jobs.join(' ')} wait`;
    const { started, opened, names } = await attached('openmpi', line, 4);
    const found = await askUntil(opened, names, isDeadlock);
    assert.equal(found.type, 'p2p-cycle', found.sentence);
    await assertWaits(started, found, opened);
    // The other job may still send.
    const { verdict } = await opened.client.request<HangDocument>('mpidbg/hang', { ranks: '0-1' });
    assert.notEqual(verdict, 'deadlock');
  });

  it('is not certain of a hang where a rank waits for a job that may still connect', async () => {
    const { opened, names } = await attached('openmpi', '"$@" -n 2 PROGRAM accept 100; exit $?', 2);
    const areThere = ({ ranks }: HangDocument): boolean =>
      ranks.every((each, i) => 'call' in each && each.call === ['MPI_Comm_accept', 'MPI_Barrier'][i]);
    const { verdict, sentence } = await askUntil(opened, names, areThere);
    assert.equal(verdict, 'unknown', sentence);
  });
});
