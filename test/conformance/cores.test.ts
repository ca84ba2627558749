/** The core files of the samples: the answers of mpidbg show are those that MPI gave while the ranks lived. */
import assert from 'node:assert/strict';
import type { Document, RankAnswer } from '../../plugin-api/mpi/records';
import { assertCoresAgree } from '../support/compare-cores';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, markerLine, SampleJob } from '../support/sample-job';
import { conformancePrograms } from './programs';

for (const mpi of allMpis) {
  for (const { name, ranks, atLeast } of conformancePrograms(mpi)) {
    it(`gcore files of ${name} under ${mpi} give the answers that MPI gave`, async () => {
      const folder = new CoreFolder();
      const job = await SampleJob.startWaiting(mpi, name, { ranks });
      try {
        const cores = await folder.gcore(job.pids);
        await job.finish();
        await assertCoresAgree(job.truth, cores, mpi, atLeast);
      } finally {
        await job.kill();
        folder.remove();
      }
    });
  }

  it(`a kernel core of ${mpi} tells its rank, what it died of and where, and its handles`, async () => {
    const folder = new CoreFolder();
    try {
      const cores = await folder.crash(mpi, 'segv', { ranks: 3, args: ['2'] });
      const core = cores.get(2);
      assert.ok(core !== undefined, 'rank 2 follows a null pointer');
      const info = await onlyRank(['info', '--core', core]);
      assert.equal(info.rank, 2);
      assert.deepEqual(info.crash, {
        signal: 'SIGSEGV',
        text: `SIGSEGV at segv.c:${markerLine('segv.c', 'follows the pointer')}, address 0x0 (nothing is mapped there)`,
        address: '0x0',
        frame: {
          name: 'read_depth',
          source: info.crash?.frame?.source,
          line: markerLine('segv.c', 'follows the pointer'),
        },
      });
      const [world] = (await onlyRank(['show', 'MPI_COMM_WORLD', '--core', core])).answers;
      assert.ok(world?.code === 'MPIDBG_SUCCESS', JSON.stringify(world));
      assert.deepEqual(world.info, { ...world.info, rank: 2, size: 3, name: 'MPI_COMM_WORLD' });
    } finally {
      folder.remove();
    }
  });
}

async function onlyRank(args: string[]): Promise<RankAnswer> {
  const { stdout, stderr, status } = await runCli([...args, '--json']);
  assert.equal(status, 0, stderr);
  const [rank] = (JSON.parse(stdout) as Document).ranks;
  assert.ok(rank !== undefined && 'answers' in rank, JSON.stringify(rank));
  return rank;
}
