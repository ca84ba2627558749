/** Requests that Open MPI has no list of: with the collector, `handles` has them from the history of the program's calls. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

/** Variables of requests.c, and the calls that it has made them with. */
const madeBy: Record<string, string> = { working: 'MPI_Grequest_start', worked: 'MPI_Grequest_start', put: 'MPI_Rput' };

for (const mpi of allMpis)
  it(`lists generalized requests and those of one-sided operations once, with the call that made them, with ${mpi}`, async () => {
    const { stdout } = await runCli(['collector', '--collect', 'calls']);
    const job = await SampleJob.startWaiting(mpi, 'requests', { ranks: 2, through: stdout.trim().split(' ') });
    try {
      const asked = await runCli(['handles', 'request', '--launcher', String(job.launcherPid), '--json']);
      const { ranks } = JSON.parse(asked.stdout) as Document;
      const told = job.truth.filter(({ expression, told: own }) => expression in madeBy && own !== undefined);
      for (const { rank, expression, told: own } of told) {
        const of = ranks.find((each) => each.rank === rank);
        assert.ok(of !== undefined && 'answers' in of, asked.stderr);
        const { handle, operation } = own!.info as { handle: string; operation: string };
        // MPICH has put it at once, and all such calls get the same request.
        if (operation === 'empty') continue;
        const listed = of.answers.flatMap((answer) =>
          answer.code === 'MPIDBG_SUCCESS' && 'operation' in answer.info && answer.info.handle === handle
            ? [{ operation: answer.info.operation, call: answer.info.history?.created?.call }]
            : [],
        );
        assert.deepEqual(listed, [{ operation, call: madeBy[expression] }], `rank ${rank}: ${expression}`);
      }
      const generalized = told.filter(({ expression }) => madeBy[expression] === 'MPI_Grequest_start');
      assert.equal(generalized.length, 2 * 2);
      if (mpi === 'openmpi') assert.equal(told.length, 2 * 3);
      await job.finish();
    } finally {
      await job.kill();
    }
  });
