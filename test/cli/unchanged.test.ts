/** Nothing that `mpidbg show` evaluates changes the program: the program tells so at its end. */
import assert from 'node:assert/strict';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

const changes = /: this would change the program: do that in the debug console of a live session$/;
const calls = /: this would call a function of the program: do that in the debug console of a live session$/;

const refused: readonly (readonly [expression: string, why: RegExp])[] = [
  ['rounds = 1', changes],
  ['rounds++', changes],
  ['comm:--rounds', changes],
  ['rounds <<= 1', changes],
  ['text[0] = 97', changes],
  ['(rounds = 1, comm)', changes],
  ['comm.f:rounds=3', changes],
  ['zero == 1 ? comm : (comm = 0)', changes],
  ['$pc = 0', changes],
  ['$sp += 8', changes],
  ['grow(3)', calls],
  ['*(MPI_Comm *)grow(1)', calls],
  ['comm.f:grow(1)', calls],
];

for (const mpi of eitherMpi('unchanged')) {
  describe(`mpidbg show leaves a program of ${mpi} as it is, where an expression`, () => {
    let job: SampleJob;
    let lines: readonly string[] = [];
    let folder: CoreFolder;
    let cores: string[] = [];
    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'unchanged', { ranks: 2 });
      folder = new CoreFolder();
      cores = await folder.gcore(job.pids);
    });
    after(async () => {
      await job.kill();
      folder.remove();
    });

    it('assigns or calls: refused with one line', async () => {
      for (const target of [
        ['--launcher', String(job.launcherPid)],
        ['--core', ...cores],
      ]) {
        const { stdout, stderr, status } = await runCli(['show', ...refused.map(([text]) => text), 'comm', ...target]);
        assert.equal(status, 1, stderr);
        const lines = stderr.trimEnd().split('\n');
        for (const [i, [expression, why]] of refused.entries()) {
          assert.ok(lines[i]?.startsWith(`mpidbg: ${expression}: `), stderr);
          assert.match(lines[i] ?? '', why);
        }
        assert.equal(lines.length, refused.length, stderr);
        assert.match(stdout, /^comm {2}0-1 {2}MPI_Comm · rank 0-1 of 2$/m);
        assert.doesNotMatch(stdout, /would/);
      }
    });

    it('calls an operator of the program: not called', async () => {
      const expressions = ['depth + 1', 'comm:depth + 1', 'depth = 3', '!depth', 'zero && grow(1)'];
      await runCli(['show', ...expressions, '--launcher', String(job.launcherPid)]);
    });

    it('compares, or asks gdb itself: evaluated', async () => {
      const expressions = [
        'comm:zero == 1',
        'comm:zero <= 1 && zero != 1',
        'comm:$_streq(text, "a = b++")',
        'comm:"="[0]',
      ];
      const { stdout, stderr, status } = await runCli(['show', ...expressions, '--launcher', String(job.launcherPid)]);
      assert.equal(status, 0, stdout + stderr);
    });

    it('was any of these: nothing is changed, and no function was called', async () => {
      lines = (await job.finish()).filter((line) => line.startsWith('at the end: '));
      const expected = 'at the end: step 2, zero 0, rounds 5, 12 metres, text fog, comm same, 0 calls';
      assert.deepEqual(lines, [expected, expected]);
    });
  });
}
