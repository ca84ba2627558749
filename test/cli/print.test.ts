/** `mpidbg print` as a user types it: what it prints, refuses, and how it ends. What values it says: test/conformance. */
import assert from 'node:assert/strict';
import { runCli, type CliResult } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

for (const mpi of eitherMpi('print')) {
  describe(`mpidbg print under ${mpi}`, () => {
    let job: SampleJob;
    before(async () => (job = await SampleJob.startWaiting(mpi, 'values')));
    after(() => (job as SampleJob | undefined)?.kill());

    const print = (...words: string[]): Promise<CliResult> =>
      runCli(['print', ...words, '--launcher', String(job.launcherPid)]);

    it('has several expressions as a table, who differs below each, and what has no value last', async () => {
      const { stdout, stderr, status } = await print('nowhere_else', 'lap', 'comm', 'name', 'residual');
      const lines = stdout.split('\n').map((line) => line.trimEnd());
      assert.deepEqual(lines.slice(0, 10), [
        'lap           0-2  100',
        '              3    99',
        '                   minimum 99 (rank 3), maximum 100 (ranks 0-2); rank 3 differs',
        'comm          0-3  MPI_Comm "ocean" · rank 0-3 of 4',
        'name          0-3  "ocean"',
        'residual      0    0.0333333',
        '              1    0.0666667',
        '              2    nan',
        '              3    0.133333',
        '                   minimum 0.0333333 (rank 0), maximum 0.133333 (rank 3); not a number in rank 2',
      ]);
      assert.equal(lines[10], 'nowhere_else  0-3  No symbol "nowhere_else" in current context');
      assert.equal(stderr, 'mpidbg: no rank could evaluate nowhere_else: check its name, or --frame\n');
      assert.equal(status, 1);
    });

    it('takes a frame, a thread and some of the ranks', async () => {
      const inSound = await print('fathoms', '--frame', 'sound');
      assert.equal(inSound.status, 0);
      assert.match(inSound.stdout, /^fathoms {2}0 {4}0\n {9}1-3 {2}no function sound on the stack of this rank\n/);
      assert.match((await print('rank', '--ranks', '1,3')).stdout, /^rank {2}1 {2}1\n {6}3 {2}3\n/);
      assert.match((await print('rank', '--thread', '99')).stderr, /^mpidbg: no rank has a thread 99\n$/);
    });

    it('refuses in one line each what would change the program, and changes nothing', async () => {
      const { stdout, stderr, status } = await print('lap = 3', 'strlen(text)', 'row[0]++', 'lap');
      assert.match(stdout, /^lap {2}0-2 {2}100\n/);
      assert.deepEqual(stderr.trimEnd().split('\n'), [
        'mpidbg: lap = 3: this would change the program: do that in the debug console of a live session',
        'mpidbg: strlen(text): this would call a function of the program: do that in the debug console of a live session',
        'mpidbg: row[0]++: this would change the program: do that in the debug console of a live session',
      ]);
      assert.equal(status, 1);
    });

    it('is what show advises for what is no handle', async () => {
      const { stdout } = await runCli(['show', 'residual', '--launcher', String(job.launcherPid)]);
      assert.match(stdout, /^residual .* not an MPI handle: mpidbg print residual shows its value$/m);
    });

    it('leaves the job as it was', () => job.finish());
  });
}

describe('mpidbg print', () => {
  it('wants an expression and a target', async () => {
    for (const [words, message] of [
      [[], /^mpidbg: print needs an expression: mpidbg print comm --launcher PID\n$/],
      [['x'], /^mpidbg: name a target: /],
      [['x', '--pid', '1', '--internal'], /^mpidbg: print does not take --internal: /],
    ] as const) {
      const { stdout, stderr, status } = await runCli(['print', ...words]);
      assert.deepEqual([stdout, status], ['', 2]);
      assert.match(stderr, message);
    }
  });
});
