/** What mpidbg run says last of a job that died, and that it says nothing of one that did not. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { patienceMs } from '../support/patience';
import { allMpis, eitherMpi } from '../support/sample-job';
import { deathCases, lineThatDies, type DeathCase } from './death-case';
import { DyingPrograms } from './built-programs';
import { judged } from './run-of-case';

function caseOf(program: string, how: string): DeathCase {
  const found = deathCases.find((each) => each.program === program && each.how === how);
  assert.ok(found, `${program} ${how}`);
  return found;
}

/** With both MPIs, whose handlers and errors differ; one of the two does for how a program dies by itself. */
const diesInMpi = ['mpi-errors.c', 'messages.c', 'callbacks.c', 'loop.c', 'left-out.f90'];

for (const mpi of allMpis) {
  describe(`mpidbg run of programs that die with ${mpi}`, function () {
    this.timeout(patienceMs);
    const programs = new DyingPrograms(mpi);
    before(() => programs.build());
    after(() => programs.remove());

    // What is alike in all of them is tested by the score.
    const launched = deathCases.filter(({ isLaunched }) => isLaunched === true);
    const chosen = [...launched, caseOf('ends.c', 'assert'), caseOf('signals.c', 'thread')].filter((each) => {
      const mpis = each.mpis ?? (diesInMpi.includes(each.program) ? allMpis : eitherMpi(`${each.program} ${each.how}`));
      return mpis.includes(mpi);
    });
    for (const each of chosen)
      it(`says how ${each.program} dies of ${each.how}`, async () => {
        const { said, wrong } = await judged(programs, each);
        assert.deepEqual(wrong, [], said.join('\n'));
      });

    for (const [program, how] of [
      ['signals.c', ''],
      ['signals.c', 'fork'],
      ['mpi-errors.c', 'returned'],
      ['ends.c', 'exit-after-finalize'],
    ] as const)
      it(`says nothing of ${program} ${how}, in which no rank dies`, async () => {
        const { lines } = await programs.runByMpidbg(caseOf(program, how), []);
        assert.deepEqual(lines, []);
      });

    it('leaves the status of the launcher as it is, and says what is known, when it fails itself', async () => {
      const each = caseOf('mpi-errors.c', 'abort');
      const plugin = join(programs.folder, 'fails.js');
      writeFileSync(
        plugin,
        `exports.createPlugin = () => ({ name: 'fails', get libraries() { throw new TypeError('thin ice'); }, open() {} });`,
      );
      const { lines, status } = await programs.runByMpidbg(each, ['--plugin', plugin], 'mpidbg: rank');
      assert.equal(status, each.status);
      assert.equal(lines[0], 'mpidbg: rank 1 called MPI_Abort(9)');
      assert.match(lines.at(-1)!, /^mpidbg: internal error, .*: thin ice \(.*fails\.js.*\)$/);
    });

    it('tells the call with its arguments, what the others did, and writes the report', async () => {
      const each = caseOf('mpi-errors.c', 'truncated');
      const { lines } = await programs.runByMpidbg(each, ['--report', 'auto']);
      const [first, call, place, others, more] = lines;
      assert.match(first!, /^mpidbg: rank 1 died of MPI_ERR_TRUNCATE: [Mm]essage truncated$/);
      assert.ok(call!.startsWith('  in MPI_Recv(count 4 MPI_INT, from 0, tag 7, MPI_COMM_WORLD)'), call);
      assert.ok(place!.startsWith(`  at mpi-errors.c:${lineThatDies(each, 'truncated')} in `), place);
      assert.match(others!, /^ {2}rank 0 was in MPI_Barrier \(mpi-errors\.c:\d+\)$/);
      const [, report] = /: (mpidbg-\d+\.html)$/.exec(more!) ?? [];
      assert.ok(report !== undefined, more);
      const page = readFileSync(join(programs.folder, report), 'utf8');
      assert.ok(page.includes('<li>rank 1 died of MPI_ERR_TRUNCATE'));
    });
  });
}
