/** A watch under Slurm watches: whatever starts the ranks, from the login node and in a batch job. */
import assert from 'node:assert/strict';
import { cli } from '../support/run-cli';
import { launchers, samplePath, type Mpi } from '../support/sample-job';
import { SlurmCluster } from './slurm-cluster';

const starters: readonly { name: string; mpi: Mpi; command: readonly string[] }[] = [
  { name: 'srun of Open MPI', mpi: 'openmpi', command: ['srun', '--mpi=pmix'] },
  { name: 'srun of MPICH', mpi: 'mpich', command: ['srun', '--mpi=pmi2'] },
  { name: 'mpirun', mpi: 'openmpi', command: [launchers.openmpi.command] },
  { name: 'mpiexec', mpi: 'mpich', command: [launchers.mpich.command] },
];

describe('mpidbg run --hang-after under Slurm', () => {
  let slurm: SlurmCluster;
  before(async () => (slurm = await SlurmCluster.start()));
  after(() => slurm.stop());
  afterEach(() => slurm.isQuiet());

  const watch = ['run', '--hang-after', '2', '--hang-after-any', '--'];
  const places = { 'one node': ['-N1', '-n2'], 'two nodes': ['-N2', '-n4'] };

  /** The verdict says which rank is not in MPI, and nothing says that the job is not watched. */
  const assertWatched = ({ status, output }: { status: number | null; output: string }): void => {
    assert.equal(status, 124, output);
    assert.match(output, /Rank 1 is in its own code at hang.c/);
    assert.doesNotMatch(output, /not watched/);
  };

  for (const [place, where] of Object.entries(places)) {
    for (const { name, mpi, command } of starters) {
      it(`in a batch job on ${place}: ${name}`, async () => {
        const line = [process.execPath, cli, ...watch, ...command, samplePath(mpi, 'hang')].join(' ');
        assertWatched(await slurm.batch(where, line));
      });
    }
  }

  for (const { name, mpi, command } of starters.slice(0, 2)) {
    it(`on the login node: ${name}`, async () => {
      assertWatched(await slurm.mpidbg([...watch, ...command, '-N2', '-n4', samplePath(mpi, 'hang')]));
    });
  }
});
