/** Jobs that a session starts under Slurm: by srun, and by the MPI's launcher in an allocation, where no host is named. */
import assert from 'node:assert/strict';
import { DebugRun } from '../dap/debug-run';
import { allMpis, launchers } from '../support/sample-job';
import { SlurmCluster } from './slurm-cluster';

describe('a session under Slurm', () => {
  let slurm: SlurmCluster;
  before(async () => (slurm = await SlurmCluster.start()));
  after(() => slurm.stop());
  afterEach(() => slurm.isQuiet());

  const place = ['-N2', '-n4', '--ntasks-per-node=2'];

  for (const mpi of allMpis) {
    for (const launcher of ['srun', undefined]) {
      it(`starts a job of ${mpi} ${launcher === undefined ? 'in an allocation' : 'by srun'}, and ends it`, async () => {
        const run = await DebugRun.launch({
          mpi,
          program: 'hang',
          through: slurm.atLogin(launcher === undefined ? ['salloc', '-Q', ...place] : []),
          breakpoints: [{ source: 'hang.c', marker: 'still busy' }],
          attributes: {
            env: launchers[mpi].env,
            ...(launcher === undefined ? {} : { launcher, launcherArgs: place }),
          },
        });
        await run.nextStops([1], 'breakpoint');
        const { ranks } = await run.client.request<{ ranks: { rank: number; host: string }[] }>('mpidbg/ranks');
        assert.deepEqual(
          ranks.map(({ rank, host }) => `${rank} ${host}`),
          ['0 node1', '1 node1', '2 node2', '3 node2'],
        );
        await run.close({ othersEnd: true });
      });
    }
  }
});
