/** Variables of one name in different functions and blocks are not compared. Truth: what each rank prints of its own. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

const program = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int rank;
static void wait_with(double value) {
  printf("%d %g %d\\n", rank, value, getpid());
  fflush(stdout);
  for (;;)
    sleep(1);
}
static void solve(void) {
  int step = 7;
  wait_with(step);
}
static void output(void) {
  double step = 0.5;
  wait_with(step);
}
static void writer(void) {
  int step = 7;
  wait_with(step);
}
static void blocks(int isInner) {
  int step = 9;
  if (isInner) {
    int step = 11; // the inner one
    wait_with(step);
  }
  wait_with(step);
}
int main(int argc, char **argv) {
  alarm(600);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < 2)
    solve();
  else if (rank == 2)
    output();
  else if (rank == 3)
    writer();
  else
    blocks(rank == 5);
}`.trim();

const lineOf = (text: string): number => 1 + program.split('\n').findIndex((line) => line.includes(text));
const inBlocks = (text: string): string => `blocks, declared at same_names.c:${lineOf(text)}`;
/** By rank. */
const functions = ['solve', 'solve', 'output', 'writer', inBlocks('step = 9'), inBlocks('the inner one')];

for (const mpi of eitherMpi('same names')) {
  describe(`variables of one name, with ${mpi}`, () => {
    let workshop: Workshop;
    let job: ToldJob;
    const steps: string[] = [];
    const pids: string[] = [];

    before(async () => {
      workshop = openWorkshop();
      const path = workshop.compile('same_names', program, `mpicc.${mpi}`, ['-g', '-O0']);
      job = await ToldJob.start(mpi, ['-n', String(functions.length), path], (line) => {
        const [, rank, step, pid] = /^(\d) (\S+) (\d+)$/.exec(line) ?? [];
        if (rank !== undefined) [steps[Number(rank)], pids[Number(rank)]] = [step!, pid!];
        return Object.keys(steps).length === functions.length;
      });
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      workshop.close();
    });

    async function values(expression: string, target: readonly string[]): Promise<ValuesDocument['expressions'][0]> {
      const { stdout } = await runCli(['print', expression, '--json', ...target]);
      return (JSON.parse(stdout) as ValuesDocument).expressions[0]!;
    }

    async function areToldApart(target: readonly string[]): Promise<void> {
      const told = await values('step', target);
      const expected = functions
        .slice(1)
        .map((of, i) => ({ ranks: i === 0 ? '0-1' : `${i + 1}`, text: steps[i + 1], of }));
      assert.deepEqual(told.values, expected);
      assert.deepEqual([told.minimum, told.maximum, told.differ], [undefined, undefined, undefined]);
    }

    it('are told apart in a running job', () => areToldApart(['--launcher', String(job.pid)]));

    it('are told apart in core files', async () => {
      const cores = [1, 2].map((rank) => {
        const core = join(workshop.directory, `core.${rank}`);
        execFileSync('gdb', ['-q', '-batch', '-p', pids[rank]!, '-ex', `gcore ${core}`], { stdio: 'ignore' });
        return core;
      });
      const { values: told } = await values(
        'step',
        cores.flatMap((core) => ['--core', core]),
      );
      assert.deepEqual(
        told,
        [1, 2].map((rank) => ({ ranks: `${rank}`, text: steps[rank], of: functions[rank] })),
      );
    });

    it('are compared where all ranks mean one', async () => {
      const told = await values('rank', ['--launcher', String(job.pid)]);
      assert.deepEqual(told.maximum, { ranks: '5', text: '5' });
      assert.ok(told.values.every(({ of }) => of === undefined));
    });
  });
}
