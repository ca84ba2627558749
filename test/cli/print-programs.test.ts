/** `mpidbg print` where only some ranks, or no rank, can have a value; and how often gdb is asked for the stack. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValueOverRanks, ValuesDocument } from '../../plugin-api/answers/value-over-ranks';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi, type Mpi } from '../support/sample-job';
import { ToldJob } from '../support/told-job';

/** Tells `dead` and does not use it any more. */
const program = (global: string): string =>
  `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
volatile int ${global} = 7;
int main(void) {
  MPI_Init(NULL, NULL);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int dead = 3 * getppid();
  printf("rank %d %d\\n", rank, dead);
  fflush(stdout);
  pause();
  MPI_Finalize();
}`.trim();

/** Two ranks of each program, that wait. */
function start(mpi: Mpi, programs: readonly string[]): Promise<ToldJob> {
  const list = programs.flatMap((path, index) => [...(index === 0 ? [] : [':']), '-n', '2', path]);
  let told = 0;
  return ToldJob.start(mpi, list, (line) => /^rank \d/.test(line) && ++told === 2 * programs.length);
}

for (const mpi of eitherMpi('print programs')) {
  describe(`mpidbg print of two programs under ${mpi}`, () => {
    let workshop: Workshop;
    let job: ToldJob;

    before(async () => {
      workshop = openWorkshop();
      const compile = (name: string): string => workshop.compile(name, program(name), `mpicc.${mpi}`, ['-g', '-O2']);
      job = await start(mpi, ['surface', 'ground'].map(compile));
    });
    after(async () => {
      await (job as ToldJob | undefined)?.kill();
      workshop.close();
    });

    const print = async (...words: string[]): Promise<ValueOverRanks[]> => {
      const { stdout, stderr } = await runCli([
        'print',
        ...words,
        '--frame',
        'main',
        '--launcher',
        String(job.pid),
        '--json',
      ]);
      assert.equal(stderr, '');
      return (JSON.parse(stdout) as ValuesDocument).expressions;
    };

    it('has the value of a name that one program has, and why the others have none', async () => {
      const [surface, ground] = await print('surface', 'ground');
      const reason = (name: string): string => `No symbol "${name}" in current context`;
      assert.deepEqual(surface!.values, [{ ranks: '0-1', text: '7' }]);
      assert.deepEqual(surface!.errors, [{ ranks: '2-3', text: reason('surface') }]);
      assert.deepEqual(ground!.values, [{ ranks: '2-3', text: '7' }]);
      assert.deepEqual(ground!.errors, [{ ranks: '0-1', text: reason('ground') }]);
      assert.equal(surface!.differ, undefined);
    });

    it('has an error for what the compiler has optimized out, never a value', async () => {
      const [dead] = await print('dead');
      assert.deepEqual(dead!.values, []);
      assert.equal(dead!.errors.length, 1);
      assert.equal(dead!.errors[0]!.ranks, '0-3');
      assert.match(dead!.errors[0]!.text, /optimized out/);
    });

    it('lists the stack of a rank once, whatever is asked, and no names where gdb finds them', async () => {
      const wrapper = join(workshop.directory, 'gdb');
      const log = join(workshop.directory, 'commands');
      writeFileSync(wrapper, `#!/bin/sh\ntee -a ${log} | exec gdb "$@"\n`);
      chmodSync(wrapper, 0o755);
      await print('rank', 'rank + 1', '2 * rank', 'rank == 3', 'rank - 1', '--gdb', wrapper);
      const commands = readFileSync(log, 'utf8').split('\n');
      const count = (name: string): number => commands.filter((command) => command.includes(name)).length;
      assert.deepEqual([count('-stack-list-frames'), count('-stack-list-variables')], [4, 0]);
    });
  });
}
