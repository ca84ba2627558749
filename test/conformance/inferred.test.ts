/**
 * Fortran variables without a word on what they are, for each binding, live and in cores: the program's own calls or the
 * declared types say it, and the answers are those that MPI gives.
 */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { bareVariables } from '../support/bare-variables';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { splitAnswers } from '../support/split-answers';
import { questions, type TruthRecord } from '../support/truth';

/** How many facts the ranks tell at least: a suite that compares nothing must not pass. */
const programs: Record<string, number> = {
  inferred: 2200,
  sections: 900,
  f2c: 690,
  constants: 285,
  'constants-f08': 285,
  'constants-mpif': 285,
};

/** Known by their addresses; the sample passes each to an argument of its name. */
const addressConstants = [
  'bottom',
  'in_place',
  'status_ignore',
  'statuses_ignore',
  'errcodes_ignore',
  'argv_null',
  'argvs_null',
  'unweighted',
  'weights_empty',
];

async function show(expressions: string[], target: string[]): Promise<Document> {
  const asked = await runCli(['show', ...expressions, ...target, '--json']);
  assert.equal(asked.status, 0, `mpidbg show: ${asked.stderr}\n${asked.stdout.slice(0, 2000)}`);
  return JSON.parse(asked.stdout) as Document;
}

for (const mpi of allMpis) {
  for (const [name, atLeast] of Object.entries(programs)) {
    describe(`bare variables of ${name} under ${mpi}`, () => {
      const folder = new CoreFolder();
      let job: SampleJob;
      let truth: TruthRecord[];
      const documents: Record<string, Document> = {};
      const constants = name.startsWith('constants') ? [...addressConstants, 'here'] : [];

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name);
        truth = bareVariables(job.truth);
        const asked = [...questions(truth), ...constants];
        documents.live = await show(asked, ['--launcher', String(job.launcherPid)]);
        documents.core = await show(asked, ['--core', ...(await folder.gcore(job.pids))]);
      });

      after(async () => {
        await (job as SampleJob | undefined)?.kill();
        folder.remove();
      });

      for (const target of ['live', 'core']) {
        it(`are shown by mpidbg show as what MPI says they are: ${target}`, () => {
          const document = documents[target]!;
          assert.equal(document.target, target);
          const { first } = splitAnswers(document, constants.length);
          assertAgree(compareDocument(truth, first, mpi), atLeast);
        });

        if (constants.length === 0) continue;
        it(`are called by the constants that they are: ${target}`, () => {
          const { last } = splitAnswers(documents[target]!, constants.length);
          assert.equal(last.length, 4);
          for (const answers of last) {
            const reasons = answers.map((each) => ('reason' in each ? each.reason : ''));
            const expected = addressConstants.map((each) => `${each} is MPI_${each.toUpperCase()}, not a handle`);
            assert.deepEqual(reasons.slice(0, -1), expected);
            assert.doesNotMatch(reasons.at(-1) ?? '', /MPI_[A-Z]{2}/, 'an array of the program is none of them');
          }
        });
      }
    });
  }
}
