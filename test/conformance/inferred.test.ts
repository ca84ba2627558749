/** INTEGERs without a word on what they are: the program's own calls say it, and the answers are those that MPI gives. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { questions, type TruthRecord } from '../support/truth';

/** How many facts the ranks tell at least: a suite that compares nothing must not pass. */
const programs: Record<string, number> = {
  inferred: 2200,
  'communicators-f90': 1300,
  'handles-f90': 1400,
  'handles-mpif': 1300,
};

/** Without the kind that the truth's expressions name for a debugger that cannot infer; a status by the array it is in. */
function bare(record: TruthRecord): TruthRecord {
  const expression = record.expression.replace(/^\w+(\.f)?:(?!:)/, '');
  const ask = record.ask === record.expression ? expression : record.ask.replace(/^\w+(\.f)?:(?!:)/, '');
  return { ...record, expression, ask: ask.replace(/\(:,\d+\)$/, '') };
}

/** A number that no call of MPI is made with cannot be known; the samples have one each. */
const isExplained = ({ expression }: TruthRecord): boolean => expression !== 'garbage';

for (const mpi of allMpis) {
  for (const [name, atLeast] of Object.entries(programs)) {
    describe(`bare INTEGERs of ${name} under ${mpi}`, () => {
      let job: SampleJob;
      let document: Document;
      let truth: TruthRecord[];

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name);
        truth = job.truth.map(bare).filter(isExplained);
        const target = ['--launcher', String(job.launcherPid)];
        const asked = await runCli(['show', ...questions(truth), ...target, '--json']);
        assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
        document = JSON.parse(asked.stdout) as Document;
      });

      after(() => (job as SampleJob | undefined)?.kill());

      it('are shown by mpidbg show as what MPI says they are', () => {
        assertAgree(compareDocument(truth, document, mpi), atLeast);
      });
    });
  }
}
