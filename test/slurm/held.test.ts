/** A batch job that waits for a debugger: it is held where it stands, and whoever is on the login node attaches by its number. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programs } from '../deaths/death-case';
import { DebugRun } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { cli } from '../support/run-cli';
import { samplePath, type Mpi } from '../support/sample-job';
import { SlurmCluster } from './slurm-cluster';

const where = ['-N2', '-n4', '--ntasks-per-node=2'];
const managers: Readonly<Record<Mpi, string>> = { openmpi: 'pmix', mpich: 'pmi2' };

describe('a batch job that is held', () => {
  let slurm: SlurmCluster;
  before(async () => (slurm = await SlurmCluster.start()));
  after(() => slurm.stop());
  afterEach(async () => {
    await slurm.run(['scancel', '--user', 'root']);
    await slurm.isQuiet();
  });

  /** The number of a batch job in which mpidbg runs this, and what it has printed so far. */
  async function submit(
    mpi: Mpi,
    options: readonly string[],
    program: readonly string[],
    ofBatch: readonly string[] = [],
  ) {
    const [script, output] = [join(slurm.folder, `script-${mpi}`), join(slurm.folder, `output-${mpi}`)];
    const line = [process.execPath, cli, 'run', ...options, '--', 'srun', `--mpi=${managers[mpi]}`, ...program];
    writeFileSync(script, `#!/bin/sh\n${line.join(' ')}\n`, { mode: 0o755 });
    const { output: told, status } = await slurm.run(['sbatch', ...where, ...ofBatch, '--output', output, script]);
    assert.equal(status, 0, told);
    return {
      job: /\d+/.exec(told)![0],
      printed: () => (existsSync(output) ? readFileSync(output, 'utf8') : ''),
    };
  }

  it('because it hangs; wait says how to attach', async () => {
    const options = ['--hang-after', '2', '--hang-after-any', '--hold', '10m'];
    const { job, printed } = await submit('mpich', options, [samplePath('mpich', 'hang')]);
    const { output: waited, status } = await slurm.mpidbg(['wait', job]);
    assert.equal(status, 0, waited);
    assert.match(waited, new RegExp(`^job ${job} runs on node1`));
    assert.match(waited, new RegExp(`\\n  look at it: mpidbg stacks --job ${job}\\n`));
    await eventually(
      () => `the job is held: ${printed()}`,
      () => /the job is held for 10 min\n {2}look at it: /.test(printed()),
    );
    assert.match(printed(), /Rank 1 is in its own code at hang.c/);
    assert.match(printed(), /in VS Code: vscode:\/\/\S+\/launch\/config\?\S+/);
    const stacks = await slurm.mpidbg(['stacks', '--job', job]);
    assert.equal(stacks.status, 0, stacks.output);
    assert.match(stacks.output, /hang\.c/);
  });

  it('because a rank dies of an error of MPI; it is there with its variables', async () => {
    const program = join(slurm.folder, 'messages');
    execFileSync('mpicc.openmpi', ['-g', '-O0', '-w', '-o', program, join(programs, 'messages.c')]);
    const { job, printed } = await submit('openmpi', ['--hold-dying', '60', '--hold', '10m'], [program, 'receive']);
    await eventually(
      () => `the job is held: ${printed()}`,
      () => /the job is held for 10 min\n/.test(printed()),
    );
    assert.match(printed(), /mpidbg: rank 3 died of MPI_ERR_TRUNCATE/);
    const printedThere = await slurm.mpidbg(['print', 'rank', '--job', job, '--ranks', '3', '--json']);
    assert.equal(printedThere.status, 0, printedThere.output);
    assert.match(printedThere.output, /"3"/);
  });

  it('because its ranks have come to a function, on two nodes', async () => {
    const program = join(slurm.folder, 'relax');
    execFileSync('mpicc.openmpi', ['-g', '-O0', '-w', '-o', program, join(programs, 'relax.c')]);
    const { job, printed } = await submit('openmpi', ['--stop-at', 'relax', '--hold', '10m'], [program]);
    await eventually(
      () => `all ranks wait: ${printed()}`,
      () => /all 4 ranks wait at relax\n/.test(printed()),
    );
    assert.match(printed(), /rank \d waits for a debugger in relax \(relax\.c:\d+\)\n/);
    const there = await slurm.mpidbg(['print', 'rank', 'step', '--job', job, '--json']);
    assert.equal(there.status, 0, there.output);
    for (const value of ['"0"', '"1"', '"2"', '"3"']) assert.ok(there.output.includes(value), there.output);
    assert.match((await slurm.mpidbg(['stacks', '--job', job])).output, /0-3 +relax \(relax\.c:\d+\)/);
  });

  it('is waited for by a session while it is in the queue', async () => {
    const { job, printed } = await submit('mpich', [], [samplePath('mpich', 'hang')], ['--hold']);
    const session = await DebugRun.open({}, slurm.atLogin([]));
    try {
      const attached = session.attach({ waitForJob: job });
      await session.client.waitFor('output');
      await slurm.run(['scontrol', 'release', job]);
      await attached;
      const { ranks } = await session.client.request<{ ranks: { host: string }[] }>('mpidbg/ranks');
      assert.deepEqual(
        ranks.map(({ host }) => host),
        ['node1', 'node1', 'node2', 'node2'],
        printed(),
      );
    } finally {
      await session.close();
    }
  });
});
