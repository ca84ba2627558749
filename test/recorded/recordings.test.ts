/** The comparisons of the conformance suite over recorded ranks: no MPI, no debugger, milliseconds. */
import assert from 'node:assert/strict';
import { conformancePrograms } from '../conformance/programs';
import { askProcess, type ProcessAnswers } from '../support/ask-process';
import { compareFacts } from '../support/compare-facts';
import { libraryOf } from '../support/excused';
import {
  listRecordings,
  readRecordedJob,
  recordedImage,
  recordedPrograms,
  type RecordedJob,
} from '../support/recorded-job';
import type { Build } from '../support/sample-job';

const recordedVersions: Partial<Record<Build, string[]>> = {
  openmpi: ['openmpi-4.1.4', 'openmpi-5.0.7', 'openmpi-6.0.0rc2'],
  mpich: ['mpich-4.0.2', 'mpich-4.2.1'],
  'openmpi-abi': ['openmpi-6.0.0rc2-abi'],
};

describe('recordings', () => {
  it('cover each program and MPI, three releases of Open MPI, and the standard ABI', () => {
    const recorded = listRecordings();
    for (const [build, versions] of Object.entries(recordedVersions)) {
      const wanted = recordedPrograms[build as Build].flatMap((program) =>
        versions.map((version) => `${program}.${version}.json.br`),
      );
      for (const name of wanted) assert.ok(recorded.includes(name), `no ${name}: docs/testing-releases.md`);
    }
    assert.ok(recorded.includes('requests.openmpi-5.0.7-ucx.json.br'), 'transfers of UCX: docs/testing-releases.md');
  });

  for (const name of listRecordings()) {
    describe(name, () => {
      let job: RecordedJob;
      let ranks: ProcessAnswers[];

      before(async () => {
        job = readRecordedJob(name);
        ranks = await Promise.all(
          job.ranks.map(({ recording, truth }) => askProcess(recordedImage(recording), job.mpi, truth)),
        );
      });

      it('give the answers that MPI gave', () => {
        let facts = 0;
        const library = job.usesUcx === true ? 'openmpi with ucx' : job.mpi;
        const differences = ranks.flatMap(({ answers }, rank) => {
          const comparison = compareFacts(job.ranks[rank]?.truth ?? [], answers, libraryOf(library, job.version));
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

      it('have the version, the state and the checks', () => {
        for (const { process } of ranks) {
          const { name: implementation, version, state, layout } = process.implementation;
          assert.deepEqual([implementation, version, state], [job.mpi, job.version, 'initialized']);
          assert.match(layout, /agree/);
        }
      });
    });
  }
});
