/** A watch under Slurm watches: whatever starts the ranks, from the login node and in a batch job. */
import assert from 'node:assert/strict';
import { cli } from '../support/run-cli';
import { launchers, samplePath, type Mpi } from '../support/sample-job';
import { SlurmCluster, type Ended } from './slurm-cluster';

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

  const srun = starters.slice(0, 2);

  /** All processors of both nodes are taken at first, for some periods of the watch. */
  const taken = ['srun', '--quiet', '-N2', '-n8', 'sleep', '10'];

  for (const { name, mpi, command } of srun) {
    it(`that waits in the queue is not watched in vain: ${name}`, async () => {
      const first = slurm.run(taken);
      await slurm.isRunning();
      const waited = await slurm.mpidbg([...watch, ...command, '-N2', '-n4', samplePath(mpi, 'hang')]);
      assert.match(waited.output, /srun: job \d+ queued and waiting for resources/);
      assertWatched(waited);
      assert.equal((await first).status, 0);
    });

    it(`that waits for another step of its job is not watched in vain: ${name}`, async () => {
      const run = [process.execPath, cli, ...watch, ...command, '-n4', samplePath(mpi, 'hang')].join(' ');
      const first = `${taken.join(' ')} & until scontrol show step | grep -q 'Name=sleep'; do :; done`;
      const waited = await slurm.batch(['-N2', '-n8'], `${first}\n${run}`);
      assert.match(waited.output, /srun: Job \d+ step creation temporarily disabled, retrying/);
      assertWatched(waited);
    });
  }

  it('knows who waits for a rank that has died, where srun lets the others be', async () => {
    const run = (where: readonly string[]): Promise<Ended> =>
      slurm.mpidbg([...watch, 'srun', '--mpi=pmi2', ...where, samplePath('mpich', 'segv')]);
    const here = await run(['-N1', '-n2']);
    assert.equal(here.status, 124, here.output);
    assert.match(here.output, /^Rank 0 waits in MPI_Barrier .* for rank 1\. Rank 1 has ended\.$/m);
    assert.match(here.output, /^mpidbg: rank 1 died of SIGSEGV/m);
    const far = await run(['-N2', '-n4']);
    assert.equal(far.status, 124, far.output);
    assert.match(far.output, /^ +0,2-3 +MPI_Barrier .* waits for 1$/m);
    assert.match(far.output, /^ +1 +ended$/m);
  });

  for (const { name, mpi, command } of srun) {
    it(`on the login node: ${name}`, async () => {
      assertWatched(await slurm.mpidbg([...watch, ...command, '-N2', '-n4', samplePath(mpi, 'hang')]));
    });
  }
});
