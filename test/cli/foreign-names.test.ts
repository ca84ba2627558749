/** `mpidbg print` of names that a frame lacks and a library has for itself alone. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openWorkshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

for (const mpi of eitherMpi('foreign names')) {
  it(`takes constants, types and functions only from where they mean something, live and in a core file, with ${mpi}`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'dlopened', { ranks: 1 });
    const workshop = openWorkshop();
    const core = join(workshop.directory, 'core');
    const check = async (...target: string[]): Promise<void> => {
      const print = async (frame: string, ...expressions: string[]): Promise<string> =>
        (await runCli(['print', ...expressions, '--frame', frame, ...target])).stdout;
      const inLibrary = await print('sail', 'ebb + flood', 'sizeof(chart)', 'sizeof(enum tide)', 'fathoms');
      assert.deepEqual(
        inLibrary
          .split('\n')
          .map((line) => line.trim().split(/ +0 +/)[1])
          .slice(0, 4),
        ['11', '16', '4', '2'],
      );
      const inProgram = await print('main', 'argc + flood', 'sizeof(flood)', 'sizeof(chart)', '&reef', 'fathoms');
      for (const name of ['flood', 'chart', 'reef'])
        assert.match(inProgram, new RegExp(`No symbol "${name}" in current context, only in dlopened-part\\.so`));
      assert.match(inProgram, /^sizeof\(flood\) +0 +No symbol/m);
      assert.match(inProgram, /^fathoms +0 +2$/m);
    };
    try {
      await check('--launcher', String(job.launcherPid));
      execFileSync('gdb', ['-q', '-batch', '-p', String(job.pids[0]), '-ex', `gcore ${core}`], { stdio: 'ignore' });
      await check('--core', core);
    } finally {
      workshop.close();
      await job.kill();
    }
  });
}
