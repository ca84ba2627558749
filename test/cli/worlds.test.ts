/** Jobs with several MPI_COMM_WORLDs, and ranks that cannot be attached to as others are. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { Document, RankAnswer, RankError, StacksDocument } from '../../plugin-api/mpi/records';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { openWorkshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { allMpis, samplePath, type Mpi } from '../support/sample-job';
import { ShellJob } from '../support/shell-job';

/** Each process says "at PID MINE", and then waits. */
const source = `
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int mine, number;
static MPI_Comm with = MPI_COMM_WORLD;

static void say(void) { printf("at %d %d\\n", (int)getpid(), mine); fflush(stdout); }
static void receive(int from) { int x; MPI_Recv(&x, 1, MPI_INT, from, 7, with, MPI_STATUS_IGNORE); }
static void *sleeper(void *unused) { pause(); return unused; }
static void *worker(void *first)
{
    pthread_join(*(pthread_t *)first, NULL);
    say();
    receive(0);
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t first;
    pthread_t second, third;
    int level;
    const char *what = argv[1];
    MPI_Comm parent;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_get_parent(&parent);
    mine = atoi(argv[2]) + number;
    if (!strcmp(what, "spawn")) {
        char *arguments[] = { "spawned", "200", NULL };
        MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &with, MPI_ERRCODES_IGNORE);
    }
    if (!strcmp(what, "spawned")) with = parent;
    if (!strcmp(what, "leave") && number == 1) {
        first = pthread_self();
        pthread_create(&third, NULL, sleeper, NULL);
        pthread_create(&second, NULL, worker, &first);
        pthread_exit(NULL);
    }
    say();
    if (!strcmp(what, "die") && number == 1) raise(SIGKILL);
    receive(!strcmp(what, "leave") || !strcmp(what, "die") ? 1 : number);
    return 0;
}
`;

describe('ranks of', () => {
  const workshop = openWorkshop();
  const programs = new Map<Mpi, string>();
  let job: ShellJob | undefined;

  before(() => {
    for (const mpi of allMpis)
      programs.set(mpi, workshop.compile(`worlds-${mpi}`, source, `mpicc.${mpi}`, ['-g', '-pthread']));
  });
  after(() => workshop.close());
  afterEach(() => job?.end());

  async function start(mpi: Mpi, line: string, processes: number): Promise<ReadonlyMap<number, number>> {
    job = await ShellJob.start(mpi, line.replaceAll('PROGRAM', programs.get(mpi)!), processes);
    return job.pids;
  }

  async function ask<T>(...words: string[]): Promise<T> {
    const { stdout, stderr } = await runCli([...words, '--json', '--launcher', String(job!.pid)]);
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout) as T;
  }

  const idsOf = ({ ranks }: { ranks: (RankAnswer | RankError)[] }): unknown[] =>
    ranks.map(({ world, rank, pid }) => [world, rank, pid]);

  for (const mpi of allMpis) {
    it(`a job of ${mpi} and those that it has spawned are one job in their core files, too`, async () => {
      const gate = join(workshop.directory, `gate-${mpi}`);
      for (const end of ['', '.children']) writeFileSync(`${gate}${end}`, '');
      const pids = await start(mpi, `"$@" -n 2 ${samplePath(mpi, 'family')} ${gate}; exit $?`, 4);
      const cores = [...pids.values()].map((pid) => {
        execFileSync('gcore', ['-o', join(workshop.directory, `core-${mpi}`), String(pid)], { stdio: 'ignore' });
        return join(workshop.directory, `core-${mpi}.${pid}`);
      });
      const all = await runCli(['info', '--json', '--core', ...cores]);
      assert.deepEqual(idsOf(JSON.parse(all.stdout) as Document), [
        ['0', 0, pids.get(100)],
        ['0', 1, pids.get(101)],
        ['0.1', 0, pids.get(200)],
        ['0.1', 1, pids.get(201)],
      ]);
      assert.doesNotMatch(all.stderr, /jobs|no core of/);
      const some = await runCli(['info', '--core', ...cores.filter((core) => !core.endsWith(`.${pids.get(201)}`))]);
      assert.match(some.stderr, /no core of rank 1 of the 2 ranks of world 0\.1: nothing is known about it/);
    });

    it(`two jobs below one shell of ${mpi} are told apart`, async () => {
      const pids = await start(mpi, '"$@" -n 2 PROGRAM wait 100 & "$@" -n 1 PROGRAM wait 200 & wait', 3);
      const found = await ask<Document>('info');
      const worlds = new Map(found.ranks.map(({ pid, world }) => [pid, world]));
      const first = worlds.get(pids.get(100))!;
      const second = worlds.get(pids.get(200))!;
      assert.deepEqual([first, second].sort(), ['0', '1']);
      assert.deepEqual(
        new Map(found.ranks.map(({ pid, world, rank }) => [pid, `${world} ${rank}`])),
        new Map([
          [pids.get(100), `${first} 0`],
          [pids.get(101), `${first} 1`],
          [pids.get(200), `${second} 0`],
        ]),
      );
      const { expressions } = await ask<ValuesDocument>('print', 'mine', '--world', second);
      assert.deepEqual(
        expressions.map(({ world, values }) => [world, values.map(({ ranks, text }) => [ranks, text])]),
        [[second, [['0', '200']]]],
      );
    });

    it(`a job of ${mpi} are all there where the first thread of one has ended`, async () => {
      const pids = await start(mpi, '"$@" -n 2 PROGRAM leave 100; exit $?', 2);
      assert.deepEqual(idsOf(await ask<Document>('info')), [
        [undefined, 0, pids.get(100)],
        [undefined, 1, pids.get(101)],
      ]);
      const stacks = await ask<StacksDocument>('stacks');
      assert.deepEqual(stacks.errors, []);
      assert.match(JSON.stringify(stacks.tree), /"worker"/);
      // Beside the ended one and the worker: the sleeper, and those of the library.
      const others = readdirSync(`/proc/${pids.get(101)!}/task`).length - 2;
      assert.ok(others > 0);
      const unseen = `rank 1: the main thread has ended, others go on; gdb can attach to only one of them, and ${others} more `;
      assert.ok(
        stacks.outliers.some((text) => text.startsWith(unseen)),
        stacks.outliers.join('\n'),
      );
      const { type, sentence } = await ask<HangDocument>('hang');
      assert.equal(type, 'p2p-cycle', sentence);
    });

    it(`a job of ${mpi} are all told where one has ended and nobody has waited for it`, async () => {
      const keeper = `my $own = getppid; my $p = fork // die; exec @ARGV unless $p; sleep 1 while getppid == $own`;
      const pids = await start(mpi, `"$@" -n 2 perl -e '${keeper}' PROGRAM die 100; exit $?`, 2);
      const { ranks } = await ask<Document>('info');
      assert.deepEqual(idsOf({ ranks }), [
        [undefined, 0, pids.get(100)],
        [undefined, 1, pids.get(101)],
      ]);
      assert.ok('error' in ranks[1]! && /^it has ended/.test(ranks[1].error.reason));
      const { expressions } = await ask<ValuesDocument>('print', 'mine');
      assert.match(expressions[0]!.errors[0]!.text, /^it has ended/);
      const { type, culprits, sentence } = await ask<HangDocument>('hang');
      assert.deepEqual([type, culprits], ['p2p-missing-partner', [1]], sentence);
    });
  }

  it('a job of openmpi and those that it has spawned are told apart, and wait for each other', async () => {
    const pids = await start('openmpi', '"$@" -n 2 PROGRAM spawn 100; exit $?', 4);
    const expected = [
      ['0', 0, pids.get(100)],
      ['0', 1, pids.get(101)],
      ['0.1', 0, pids.get(200)],
      ['0.1', 1, pids.get(201)],
    ];
    assert.deepEqual(idsOf(await ask<Document>('show', 'with')), expected);
    assert.deepEqual(idsOf(await ask<Document>('show', 'with', '--world', '0.1')), expected.slice(2));
    assert.deepEqual(idsOf(await ask<Document>('show', 'with', '--ranks', '1')), expected.slice(1, 2));
    assert.deepEqual(idsOf(await ask<Document>('show', 'with', '--ranks', '1,0.1:1')), [expected[1], expected[3]]);
    const { expressions: asked } = await ask<ValuesDocument>('print', '$rank in 1,0.1:0');
    assert.deepEqual(
      asked.map(({ values }) => values.map(({ ranks, text }) => [ranks, text])),
      [
        [
          ['0', '0'],
          ['1', '1'],
        ],
        [
          ['0', '1'],
          ['1', '0'],
        ],
      ],
    );
    const stacks = await ask<StacksDocument>('stacks');
    const roots = stacks.tree.filter(({ frame }) => frame.name === 'main');
    assert.deepEqual(
      roots.map(({ world, ranks }) => [world, ranks]),
      [
        ['0', '0-1'],
        ['0.1', '0-1'],
      ],
    );
    const { type, culpritRanks, sentence } = await ask<HangDocument>('hang');
    assert.equal(type, 'p2p-cycle', sentence);
    assert.deepEqual(new Set(culpritRanks!.map(({ world }) => world)), new Set(['0', '0.1']));
    const refused = await runCli(['info', '--world', '7', '--launcher', String(job!.pid)]);
    assert.deepEqual([refused.status, refused.stdout], [2, '']);
    assert.match(refused.stderr, /--world: world 7 is not in this job, which has 0, 0\.1/);
  });
});
