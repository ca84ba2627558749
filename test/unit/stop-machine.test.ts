import assert from 'node:assert/strict';
import { FakeJob, interrupted, type FakeRanks } from '../support/fake-job';
import type { Arrival } from '../support/fake-gdb';

/*
 * The scripts are what gdb 13.1 wrote in each of these cases, without frames and other results that nobody reads: recorded
 * with two processes of one and two threads in one gdb. Those that could not be brought about at will say so.
 */
for (const arrival of ['in one piece', 'line by line'] as const satisfies Arrival[]) {
  describe(`stops and steps of ranks, with what gdb writes at once arriving ${arrival}`, () => {
    const attached = (ranks: FakeRanks): Promise<FakeJob> => FakeJob.attached(arrival, ranks);

    it('a rank stops at a breakpoint while another one steps', async () => {
      const { job, gdb, rank, takeTold } = await attached({ threads: [[1, 2], [3]] });
      const inserted = job.breakpoints.replaceFunctions([{ function: 'here' }]);
      await gdb.plays(`
        > 1-break-insert -f --function "here"
        < 1^done,bkpt={number="3",type="breakpoint",addr="<MULTIPLE>",times="0",locations=[{number="3.1",addr="0x1170",func="here",line="6",thread-groups=["i1"]},{number="3.2",addr="0x1170",func="here",line="6",thread-groups=["i2"]}]}
      `);
      assert.deepEqual(
        (await inserted).map(({ verified, line }) => ({ verified, line })),
        [{ verified: true, line: 6 }],
      );
      const moves = Promise.all([job.step([rank(1)], 'over'), job.continue([rank(0)])]);
      await gdb.plays(`
        > 2-exec-next --thread 3
        > 3-exec-continue --thread-group i1
        < 2^running
        < *running,thread-id="3"
        < 3^running
        < *running,thread-id="1"
        < *running,thread-id="2"
        < *stopped,reason="breakpoint-hit",bkptno="3",thread-id="2",stopped-threads=["2"]
        > 4-exec-interrupt --thread-group i1
        < ${interrupted(1)}
        < 4^done
        < *stopped,reason="end-stepping-range",thread-id="3",stopped-threads=["3"]
      `);
      await moves;
      assert.deepEqual(takeTold().sort(), [
        'rank 0 runs',
        'rank 0 stopped in 2: breakpoint function',
        'rank 1 runs',
        'rank 1 stopped in 3: step',
      ]);
    });
  });
}
