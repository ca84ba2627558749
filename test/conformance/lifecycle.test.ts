/** Before MPI_Init and after MPI_Finalize there is nothing to decode, and mpidbg says so; in between, all of it. */
import assert from 'node:assert/strict';
import type { Answer, Document, Implementation } from '../../plugin-api/mpi/records';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

const stages: { stage: string; state: Implementation['state']; code: Answer['code'] }[] = [
  { stage: 'before-init', state: 'notInitialized', code: 'MPIDBG_ERR_UNAVAILABLE' },
  { stage: 'between', state: 'initialized', code: 'MPIDBG_SUCCESS' },
  { stage: 'after-finalize', state: 'finalized', code: 'MPIDBG_ERR_UNAVAILABLE' },
];

for (const mpi of allMpis) {
  for (const { stage, state, code } of stages) {
    it(`a program of ${mpi} ${stage}: its state is ${state}, MPI_COMM_WORLD ${code}`, async () => {
      const job = await SampleJob.startWaiting(mpi, 'lifecycle', { ranks: 2, args: [stage] });
      try {
        const asked = await runCli(['show', 'MPI_COMM_WORLD', '--launcher', String(job.launcherPid), '--json']);
        assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
        const document = JSON.parse(asked.stdout) as Document;
        const ranks = document.ranks.map((rank) => ({
          rank: rank.rank,
          name: 'implementation' in rank && 'name' in rank.implementation && rank.implementation.name,
          state: 'implementation' in rank && 'state' in rank.implementation && rank.implementation.state,
          codes: 'answers' in rank ? rank.answers.map((answer) => answer.code) : [],
        }));
        const expected = [0, 1].map((rank) => ({ rank, name: mpi, state, codes: [code] }));
        assert.deepEqual(ranks, expected, asked.stdout);
        await job.finish();
      } finally {
        await job.kill();
      }
    });
  }
}
