/**
 * Fortran variables without a word on what they are, for each binding, live and in cores: the program's own calls or the
 * declared types say it, and the answers are those that MPI gives.
 */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';
import { questions, type TruthRecord } from '../support/truth';

/** How many facts the ranks tell at least: a suite that compares nothing must not pass. */
const programs: Record<string, number> = {
  inferred: 2200,
  sections: 900,
  'communicators-f90': 1300,
  'communicators-f08': 1900,
  'handles-f90': 1400,
  'handles-f08': 1400,
  'handles-mpif': 1300,
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

/** Without the kind that the truth's expressions name for a debugger that cannot infer; a status by the array it is in. */
function bare(record: TruthRecord): TruthRecord {
  const expression = record.expression.replace(/^\w+(\.f)?:(?!:)/, '');
  const ask = record.ask === record.expression ? expression : record.ask.replace(/^\w+(\.f)?:(?!:)/, '');
  return { ...record, expression, ask: ask.replace(/\(:,\d+\)$/, '') };
}

/** A number that no call of MPI is made with cannot be known; the samples have one each. */
const isExplained = ({ expression }: TruthRecord): boolean => expression !== 'garbage';

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
      const targets: Record<string, string[]> = {};

      before(async () => {
        job = await SampleJob.startWaiting(mpi, name);
        truth = job.truth.map(bare).filter(isExplained);
        targets.live = ['--launcher', String(job.launcherPid)];
        targets.core = ['--core', ...(await folder.gcore(job.pids))];
      });

      after(async () => {
        await (job as SampleJob | undefined)?.kill();
        folder.remove();
      });

      for (const target of ['live', 'core']) {
        it(`are shown by mpidbg show as what MPI says they are: ${target}`, async () => {
          const document = await show(questions(truth), targets[target] as string[]);
          assert.equal(document.target, target);
          assertAgree(compareDocument(truth, document, mpi), atLeast);
        });

        if (name.startsWith('constants')) {
          it(`are called by the constants that they are: ${target}`, async () => {
            const { ranks } = await show([...addressConstants, 'here'], targets[target] as string[]);
            assert.equal(ranks.length, 4);
            for (const rank of ranks) {
              const reasons =
                'answers' in rank ? rank.answers.map((each) => ('reason' in each ? each.reason : '')) : [];
              const expected = addressConstants.map((each) => `${each} is MPI_${each.toUpperCase()}, not a handle`);
              assert.deepEqual(reasons.slice(0, -1), expected);
              assert.doesNotMatch(reasons.at(-1) ?? '', /MPI_[A-Z]{2}/, 'an array of the program is none of them');
            }
          });
        }
      }
    });
  }
}
