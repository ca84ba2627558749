/**
 * The cores that the kernel writes of the samples: the answers of mpidbg show are those that MPI gave while the ranks
 * lived. A suite of its own, because core_pattern is the machine's.
 */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { conformancePrograms } from '../conformance/programs';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { CoreFolder, writeCoresBesideTheProgram } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis } from '../support/sample-job';
import { questions } from '../support/truth';

let restore: (() => void) | undefined;

before(() => {
  restore = writeCoresBesideTheProgram();
});

after(() => restore?.());

for (const mpi of allMpis) {
  for (const { name, ranks, atLeast } of conformancePrograms(mpi)) {
    it(`kernel cores of ${name} under ${mpi} give the answers that MPI gave`, async () => {
      const folder = new CoreFolder();
      try {
        const { job, cores } = await folder.crashWaiting(mpi, name, { ranks, signal: 'SIGABRT' });
        const asked = await runCli(['show', ...questions(job.truth), '--json', '--core', ...cores]);
        assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
        const document = JSON.parse(asked.stdout) as Document;
        assert.equal(document.target, 'core');
        assertAgree(compareDocument(job.truth, document, mpi), atLeast);
      } finally {
        folder.remove();
      }
    });
  }
}
