/** The comparisons of the conformance suite over recorded ranks: no MPI, no debugger, milliseconds. */
import assert from 'node:assert/strict';
import { RecordedImage } from '../../adapter/images/recorded-image';
import { conformancePrograms } from '../conformance/programs';
import { askProcess, type ProcessAnswers } from '../support/ask-process';
import { compareFacts } from '../support/compare-facts';
import { listRecordings, readRecordedJob, recordedPrograms, type RecordedJob } from '../support/recorded-job';
import { allMpis } from '../support/sample-job';

describe('recordings', () => {
  it('are there of each program and each MPI', () => {
    const recorded = listRecordings().map((name) => name.replace(/-[\d.]+\.json\.br$/, ''));
    const wanted = allMpis.flatMap((mpi) => recordedPrograms.map((program) => `${program}.${mpi}`));
    for (const name of wanted) assert.ok(recorded.includes(name), `none of ${name}: run npm run record`);
  });

  for (const name of listRecordings()) {
    describe(name, () => {
      let job: RecordedJob;
      let ranks: ProcessAnswers[];

      before(async () => {
        job = readRecordedJob(name);
        ranks = await Promise.all(
          job.ranks.map(({ recording, truth }) => askProcess(new RecordedImage(recording), truth)),
        );
      });

      it('give the answers that MPI gave', () => {
        let facts = 0;
        const differences = ranks.flatMap(({ answers }, rank) => {
          const comparison = compareFacts(job.ranks[rank]?.truth ?? [], answers);
          facts += comparison.facts;
          return comparison.differences;
        });
        assert.deepEqual(differences.slice(0, 40), [], `${differences.length} of ${facts} facts differ`);
        const expected = conformancePrograms(job.mpi).find((program) => program.name === job.program);
        assert.ok(expected !== undefined && facts >= expected.atLeast, `only ${facts} facts were compared`);
      });

      it('translate Fortran handles as MPI did', () => {
        ranks.forEach(({ fromFortran }, rank) => {
          for (const { expression, told } of job.ranks[rank]?.truth ?? []) {
            const handle = told?.info['handle'];
            if (handle === undefined || told?.info['fortranHandle'] === undefined) continue;
            assert.equal(fromFortran.get(expression), handle, `rank ${rank} ${expression}`);
          }
          assert.ok(fromFortran.size >= 8, `only ${fromFortran.size} Fortran handles were compared`);
        });
      });

      it('know the predefined communicators by name', () => {
        for (const { predefined } of ranks) {
          for (const [expected, result] of predefined) assert.equal(result.ok && result.value.name, expected);
          for (const each of ['MPI_COMM_WORLD', 'MPI_COMM_SELF', 'MPI_COMM_NULL']) assert.ok(predefined.has(each));
        }
      });

      it('tell the version, the state and what was checked', () => {
        for (const { process } of ranks) {
          const { name: implementation, version, state, layout } = process.implementation;
          assert.deepEqual([implementation, version, state], [job.mpi, job.version, 'initialized']);
          assert.match(layout, /agree/);
        }
      });
    });
  }
});
