/** Variables of C++ whose type the compiler has not kept: the views show the same as for what they were copied from. */
import assert from 'node:assert/strict';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

for (const mpi of allMpis) {
  describe(`variables without the name of their type under ${mpi}`, () => {
    let run: DebugRun;
    before(async () => {
      const breakpoints = [{ source: 'unnamed-types.cpp', marker: 'all types lost' }];
      ({ run } = await DebugRun.stopped({ mpi, program: 'unnamed-types', ranks: 2, breakpoints }));
    });
    after(() => (run as DebugRun | undefined)?.close());

    const values = async (frame: RegExp): Promise<Map<string, string>> => {
      const { id } = (await run.frames(await run.threadOf(0))).find(({ name }) => frame.test(name))!;
      return new Map((await run.locals(id)).map(({ name, value }) => [name, value]));
    };

    it('are handles where the program has copied one, and numbers where it has counted', async () => {
      const main = await values(/^main\b/);
      const comm = 'MPI_Comm "ocean" · rank 0 of 2';
      assert.equal(main.get('comm'), comm);
      for (const copy of ['copied', 'constant', 'pointed', 'referred', 'bound'])
        assert.equal(main.get(copy), comm, copy);
      assert.match(main.get('taken') ?? '', /^-?\d+$/);
      assert.equal(main.get('count'), '7');
      assert.equal(main.get('pair'), '{first "ocean", second 7}');
      assert.equal(main.get('tuple'), '{7, "ocean"}');
      const answer = await values(/^answer\b/);
      assert.equal(answer.get('of_template'), comm);
      assert.equal(answer.get('referred'), comm);
      assert.equal(answer.get('number'), '3');
    });
  });
}
