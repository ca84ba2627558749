/** The core file of a rank that crashed. */
import assert from 'node:assert/strict';
import type { Document, RankAnswer } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { allMpis, markerLine } from '../support/sample-job';

for (const mpi of allMpis) {
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
