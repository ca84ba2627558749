/** Deaths under Slurm: whatever starts the ranks on two nodes, from the login node and in a batch job, the cause is told and nothing is left. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { deathCases, lineThatDies, programs } from '../deaths/death-case';
import { cli } from '../support/run-cli';
import { allMpis, launchers, type Mpi } from '../support/sample-job';
import { SlurmCluster, type Ended } from './slurm-cluster';

const starters: readonly { name: string; mpi: Mpi; command: readonly string[] }[] = [
  { name: 'srun of Open MPI', mpi: 'openmpi', command: ['srun', '--mpi=pmix'] },
  { name: 'srun of MPICH', mpi: 'mpich', command: ['srun', '--mpi=pmi2'] },
  { name: 'mpirun', mpi: 'openmpi', command: [launchers.openmpi.command] },
  { name: 'mpiexec', mpi: 'mpich', command: [launchers.mpich.command] },
];

const where = ['-N2', '-n4', '--ntasks-per-node=2'];
const how = 'receive';

describe('mpidbg run and a death under Slurm', () => {
  let slurm: SlurmCluster;
  before(async () => {
    slurm = await SlurmCluster.start();
    for (const mpi of allMpis)
      execFileSync(`mpicc.${mpi}`, ['-g', '-O0', '-w', '-o', program(mpi), join(programs, 'messages.c')]);
  });
  after(() => slurm.stop());
  afterEach(() => slurm.isQuiet());

  const program = (mpi: Mpi): string => join(slurm.folder, `messages-${mpi}`);
  const mpidbg = [process.execPath, cli, 'run', '--hold-dying', '60', '--'];
  const died = deathCases.find((each) => each.program === 'messages.c' && each.how === how)!;

  /** The last rank has got a message that does not fit, and the others wait for it. */
  function assertTold({ status, output }: Ended, alone: Ended): void {
    const said = output.slice(output.indexOf('mpidbg: '));
    assert.match(said, /^mpidbg: rank 3 died of MPI_ERR_TRUNCATE/, output);
    assert.match(said, /MPI_Recv\(count 4 MPI_INT, from 0, tag 7, "ocean"\)/);
    assert.ok(said.includes(`messages.c:${lineThatDies(died, how)} `), said);
    assert.match(said, /ranks 0-2 were in MPI_Barrier/);
    assert.equal(status, alone.status);
  }

  for (const { name, mpi, command } of starters) {
    it(`in a batch job: ${name}`, async () => {
      const words = [...command, program(mpi), how];
      const alone = await slurm.batch(where, words.join(' '));
      assertTold(await slurm.batch(where, [...mpidbg, ...words].join(' ')), alone);
    });
  }

  for (const { name, mpi, command } of starters.slice(0, 2)) {
    it(`on the login node: ${name}`, async () => {
      // The name is that of a program, too.
      const words = [...command, ...where, '-J', 'test', program(mpi), how];
      assertTold(await slurm.run([...mpidbg, ...words]), await slurm.run(words));
    });
  }
});
