/** Jobs of Slurm that run already, from the login node: by a launcher's pid and by the number of the job. */
import assert from 'node:assert/strict';
import { slurm as system } from '../../plugin-api/batch/slurm';
import { DebugRun } from '../dap/debug-run';
import { launchers, samplePath, type Mpi } from '../support/sample-job';
import { SlurmCluster } from './slurm-cluster';

const jobs: readonly { name: string; mpi: Mpi; command: readonly string[] }[] = [
  { name: 'srun of Open MPI', mpi: 'openmpi', command: ['srun', '--mpi=pmix', '-N2', '-n4', '--ntasks-per-node=2'] },
  { name: 'srun of MPICH', mpi: 'mpich', command: ['srun', '--mpi=pmi2', '-N2', '-n4', '--ntasks-per-node=2'] },
  {
    name: 'salloc with mpirun',
    mpi: 'openmpi',
    command: ['salloc', '-Q', '-N2', '-n4', '--ntasks-per-node=2', launchers.openmpi.command],
  },
  {
    name: 'salloc with mpiexec',
    mpi: 'mpich',
    command: ['salloc', '-Q', '-N2', '-n4', '--ntasks-per-node=2', launchers.mpich.command],
  },
];

describe('a running job of Slurm', () => {
  let slurm: SlurmCluster;
  before(async () => (slurm = await SlurmCluster.start()));
  after(() => slurm.stop());
  afterEach(() => slurm.isQuiet());

  for (const { name, mpi, command } of jobs) {
    it(`is found by the pid of its launcher and by its number: ${name}`, async () => {
      const job = await slurm.startWaiting([...command, samplePath(mpi, 'hang')], 4);
      try {
        const [listed] = system.parseJobs((await slurm.run(system.listJobs)).output, undefined);
        assert.equal(listed?.nodeList, 'node[1-2]');
        const number = listed.id;
        for (const target of [
          ['--launcher', String(job.pid)],
          ['--job', number],
        ]) {
          const { status, output } = await slurm.mpidbg(['info', ...target]);
          assert.equal(status, 0, output);
          assert.match(output, /^ranks +0-1 on node1; 2-3 on node2$/m);
        }
        // A debugger is not needed for the verdict, on no node.
        const { output } = await slurm.mpidbg(['hang', '--job', number, '--gdb', '/nowhere']);
        assert.match(output, /^Rank 1 is in its own code/m);
        assert.match(output, /the program's lines are not known: gdb cannot be run/);
        const run = await DebugRun.open({}, slurm.atLogin([]));
        try {
          await run.attach({ job: number });
          const { ranks } = await run.client.request<{ ranks: { rank: number; host: string }[] }>('mpidbg/ranks');
          assert.deepEqual(
            ranks.map(({ rank, host }) => `${rank} ${host}`),
            ['0 node1', '1 node1', '2 node2', '3 node2'],
          );
        } finally {
          await run.close();
        }
      } finally {
        await job.end();
      }
    });
  }

  it('needs a number that Slurm knows, and a step that it has', async () => {
    assert.match((await slurm.mpidbg(['info', '--job', '4711'])).output, /^mpidbg: there is no job 4711/);
    assert.match((await slurm.mpidbg(['info', '--job', 'heat'])).output, /^mpidbg: "heat" is not the number of a job/);
  });
});
