/** mpidbg pvars --follow and --csv: rows of what is new, until the job ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { cli, runCli } from '../support/run-cli';
import { SampleJob } from '../support/sample-job';

const heading = 'rank,name,class,object,index,value,time';
const lengths = 'pml_ob1_unexpected_msgq_length';

describe('mpidbg pvars', () => {
  let job: SampleJob;
  before(async () => {
    const { stdout } = await runCli(['collector']);
    job = await SampleJob.startWaiting('openmpi', 'tool-variables', { ranks: 2, through: stdout.trim().split(' ') });
  });
  after(() => job.kill());

  it('writes a row for each value, and follows them until the job ends', async () => {
    const args = [cli, 'pvars', lengths, '--follow', '--launcher', String(job.launcherPid)];
    const follower = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const rows: string[] = [];
    for await (const row of createInterface({ input: follower.stdout })) {
      rows.push(row.replace(/,[\d.]+$/, ''));
      // Rank 1 has three messages of rank 0: then it may receive them.
      if (rows.at(-1)?.startsWith(`1,${lengths},SIZE,MPI_COMM_WORLD,0,3`)) await job.finish();
    }
    if (follower.exitCode === null) await once(follower, 'close');
    assert.equal(follower.exitCode, 0);
    assert.equal(rows.filter((row) => row === heading).length, 1);
    assert.ok(rows.includes(`0,${lengths},SIZE,ocean,1,2`), rows.join('\n'));
  });

  it('refuses what makes no sense', async () => {
    const target = ['--pid', String(process.pid)];
    for (const [args, message] of [
      [['--core', 'core.1', '--follow'], /--follow needs a running job/],
      [[...target, '--csv', 'a.csv', '--json'], /--csv and --json exclude each other/],
      [[...target, '--csv', 'a.csv', '--follow'], /--follow writes to standard output/],
    ] as const) {
      const { status, stderr, stdout } = await runCli(['pvars', ...args]);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, message);
    }
  });
});
