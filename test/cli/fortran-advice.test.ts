/** What `mpidbg show` advises in Fortran, asked for as it is written. */
import assert from 'node:assert/strict';
import type { Answer } from '../../plugin-api/mpi/records';
import { showOfRankZero } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

const reasonOf = (answer: Answer | undefined): string =>
  answer !== undefined && 'reason' in answer ? answer.reason : 'no reason';
const adviceIn = (reason: string): string => / as in (\S+)(?: or \S+)?$/.exec(reason)?.[1] ?? reason;

for (const mpi of eitherMpi('fortran advice')) {
  describe(`advice in Fortran under ${mpi}`, () => {
    for (const [program, advised] of [
      [
        'sections',
        {
          received: 'received(:,1)',
          'status:received': 'status:received(:,1)',
          'comm.f:received': 'comm.f:received(1,1)',
          heads: 'comm:heads',
          'm(:,2)': 'comm:m(:,2)',
          'g%back': 'comm:g%back',
        },
      ],
      ['inferred', { others: 'others(1,1)', unsure: 'comm.f:unsure' }],
    ] as const) {
      it(`is accepted: ${program}`, async () => {
        const job = await SampleJob.startWaiting(mpi, program, { ranks: 2 });
        try {
          const reasons = (await showOfRankZero(job.launcherPid, Object.keys(advised))).map(reasonOf);
          assert.deepEqual(reasons.map(adviceIn), Object.values(advised), reasons.join('\n'));
          const answers = await showOfRankZero(job.launcherPid, Object.values(advised));
          for (const answer of answers.filter((each) => 'reason' in each))
            assert.doesNotMatch(reasonOf(answer), /its type is|No symbol|syntax|holds no value/, answer.expression);
        } finally {
          await job.kill();
        }
      });
    }
  });
}
