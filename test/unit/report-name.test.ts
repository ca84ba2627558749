/** Which file `mpidbg run --report auto` writes. */
import assert from 'node:assert/strict';
import { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { schedulers } from '../../plugin-api/plugins/schedulers';
import { batchJobOf, reportName } from '../../adapter/cli/run/report-name';

describe('the name of the page about a job', () => {
  const known = new KnownMpis([], schedulers);

  for (const [environment, number] of [
    [{}, undefined],
    [{ SLURM_JOB_ID: '4711' }, '4711'],
    [{ PBS_JOBID: '4711[3].server.example' }, '4711[3]'],
    [{ SLURM_JOB_ID: '', LSB_JOBID: '12' }, '12'],
    [{ JOB_ID: '../../4711' }, undefined],
    [{ JOB_ID: '47/11' }, undefined],
    [{ JOB_ID: '9'.repeat(65) }, undefined],
  ] as const)
    it(`has the number of the batch job: ${JSON.stringify(environment)}`, () =>
      assert.equal(batchJobOf(known, environment), number));

  it('is what the user says, or mpidbg-JOB.html', () => {
    assert.equal(reportName('auto', 4711), 'mpidbg-4711.html');
    assert.equal(reportName('./auto', 4711), './auto');
    assert.equal(reportName('r.html', '4711'), 'r.html');
  });
});
