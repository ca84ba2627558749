/**
 * The cores that the kernel writes of the samples: the answers of mpidbg show are those that MPI gave while the ranks
 * lived. A suite of its own, because core_pattern is the machine's.
 */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import { writeCoresBesideTheProgram } from '../../scripts/core-pattern.mjs';
import { conformancePrograms } from '../conformance/programs';
import { assertCoresAgree } from '../support/compare-cores';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, type Mpi } from '../support/sample-job';

let restore: (() => void) | undefined;

before(() => {
  restore = writeCoresBesideTheProgram();
});

after(() => restore?.());

/** Bits of coredump_filter, see core(5). */
const anonymousPrivate = 0x01;
const anonymousShared = 0x02;
const elfHeaders = 0x10;

for (const mpi of allMpis) {
  for (const { name, ranks, atLeast } of conformancePrograms(mpi)) {
    it(`kernel cores of ${name} under ${mpi} give the answers that MPI gave`, () =>
      compare(mpi, name, { ranks }, atLeast));
  }

  it(`the smallest useful kernel cores of ${mpi}, without shared memory, give the answers that MPI gave`, async () => {
    const { name, ranks, atLeast } = conformancePrograms(mpi)[0]!;
    await compare(mpi, name, { ranks, filter: anonymousPrivate | elfHeaders }, atLeast);
  });

  it(`kernel cores of ${mpi} without the pages that were written to say so, and guess nothing`, async () => {
    const folder = new CoreFolder();
    try {
      const filter = anonymousShared | elfHeaders;
      const { cores } = await folder.crashWaiting(mpi, 'communicators', { ranks: 2, signal: 'SIGABRT', filter });
      const { status, stdout, stderr } = await runCli(['show', 'comm:MPI_COMM_WORLD', '--json', '--core', ...cores]);
      assert.equal(status, 0, stderr);
      const document = JSON.parse(stdout) as Document;
      assert.equal(document.ranks.length, 2);
      for (const rank of document.ranks) {
        const told = JSON.stringify(rank);
        assert.match(told, /at 0x[0-9a-f]+: the core file does not hold these pages/);
        assert.doesNotMatch(told, /"(rank|size)":\d/, 'nothing is told of what is not there');
      }
    } finally {
      folder.remove();
    }
  });
}

async function compare(
  mpi: Mpi,
  name: string,
  options: { ranks: number; filter?: number },
  atLeast: number,
): Promise<void> {
  const folder = new CoreFolder();
  try {
    const { job, cores } = await folder.crashWaiting(mpi, name, { ...options, signal: 'SIGABRT' });
    await assertCoresAgree(job.truth, cores, mpi, atLeast);
  } finally {
    folder.remove();
  }
}
