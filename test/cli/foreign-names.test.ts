/** `mpidbg print` of names that a frame lacks and a library has for itself alone. */
import assert from 'node:assert/strict';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob } from '../support/sample-job';

for (const mpi of allMpis) {
  it(`takes constants, types and functions only from where they mean something, with ${mpi}`, async () => {
    const job = await SampleJob.startWaiting(mpi, 'dlopened', { ranks: 1 });
    const print = async (frame: string, ...expressions: string[]): Promise<string> =>
      (await runCli(['print', ...expressions, '--frame', frame, '--launcher', String(job.launcherPid)])).stdout;
    try {
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
    } finally {
      await job.kill();
    }
  });
}
