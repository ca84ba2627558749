/** Samples built for the standard ABI of MPI 5, with the library of each MPI: what the plugins read, and what users see. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { compareRanks } from '../support/compare-ranks';
import { runCli } from '../support/run-cli';
import { SampleJob, type Mpi } from '../support/sample-job';
import { questions } from '../support/truth';

/** The facts that each sample has at least. */
const programs: Record<Mpi, Record<string, number>> = {
  openmpi: { communicators: 4970, datatypes: 15300, requests: 4575, handles: 2360, windows: 1880, files: 1012 },
  mpich: {},
};

for (const mpi of ['openmpi', 'mpich'] as const) {
  for (const [name, atLeast] of Object.entries(programs[mpi])) {
    it(`the ${mpi} plugin reads in ${name}, built for the standard ABI, what MPI tells`, async () => {
      assertAgree(await compareRanks(mpi, name, { build: `${mpi}-abi` }), atLeast);
    });
  }
}

it('mpidbg show and info know a program of openmpi that is built for the standard ABI', async () => {
  const job = await SampleJob.startWaiting('openmpi', 'handles', { build: 'openmpi-abi' });
  try {
    const target = ['--launcher', String(job.launcherPid)];
    const shown = await runCli(['show', ...questions(job.truth), ...target, '--json']);
    assert.equal(shown.status, 0, shown.stderr);
    assertAgree(compareDocument(job.truth, JSON.parse(shown.stdout) as Document, 'openmpi'), 2360);
    const { stdout } = await runCli(['info', ...target]);
    assert.match(stdout, /program built for the standard ABI of MPI 5/);
    await job.finish();
  } finally {
    await job.kill();
  }
});
