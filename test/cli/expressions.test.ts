/** What `mpidbg show` makes of prefixes, pointers and MPI's own names. */
import assert from 'node:assert/strict';
import type { Answer } from '../../plugin-api/mpi/records';
import { showOfRankZero } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

for (const mpi of allMpis) {
  describe(`mpidbg show, expressions under ${mpi}`, () => {
    let job: SampleJob;
    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'handles', { ranks: 4 });
    });
    after(() => (job as SampleJob | undefined)?.kill());

    const show = (...expressions: string[]): Promise<Answer[]> => showOfRankZero(job.launcherPid, expressions);
    const withoutExpression = ({ expression: _, ...rest }: Answer): object => rest;

    it('a prefix follows a pointer to a handle, as the declared type does', async () => {
      const [direct, pointer, prefixed] = await show('difference', 'op_pointer', 'op:op_pointer');
      assert.equal(direct?.code, 'MPIDBG_SUCCESS');
      for (const answer of [pointer, prefixed]) assert.deepEqual(withoutExpression(answer!), withoutExpression(direct));
    });

    it('a number that is too large for a handle is none', async () => {
      const [answer] = await show('comm:0x1234567844000000');
      assert.equal(answer?.code, 'MPIDBG_ERR_NOT_FOUND');
    });
  });
}
