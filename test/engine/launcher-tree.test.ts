import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { localHost } from '../../adapter/hosts/local-host';
import { ranksOfLauncher } from '../../adapter/launchers/launcher-tree';
import { allMpis, launchers, SampleJob, samplePath } from '../support/sample-job';

for (const mpi of allMpis) {
  describe(`ranks of a launcher of ${mpi}`, () => {
    it('are found below the launcher, in order', async () => {
      const sample = await SampleJob.startWaiting(mpi, 'communicators');
      try {
        assert.deepEqual(await ranksOfLauncher(localHost, sample.launcherPid), sample.pids);
      } finally {
        await sample.kill();
      }
    });

    it('are found below a shell around the launcher, and inside of scripts around the program', async () => {
      const { command, args, env } = launchers[mpi];
      const inner = `${samplePath(mpi, 'communicators')} --wait; exit $?`;
      const shell = spawn('sh', ['-c', `"$@"; exit $?`, 'sh', command, ...args, '-n', '2', 'sh', '-c', inner], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const pids: number[] = [];
      for await (const line of createInterface({ input: shell.stdout })) {
        const [, json] = /MPIDBG-WAITING (\{.*?\})/.exec(line) ?? [];
        if (json === undefined) continue;
        const { rank, pid } = JSON.parse(json) as { rank: number; pid: number };
        pids[rank] = pid;
        if (Object.keys(pids).length === 2) break;
      }
      const found = await ranksOfLauncher(localHost, shell.pid ?? 0);
      for (const pid of pids) process.kill(pid, 'SIGUSR1');
      await once(shell, 'exit');
      assert.deepEqual(found, pids);
    });
  });
}

describe('a process that has no ranks', () => {
  it('is told as such', async () => {
    const sleeper = spawn('sleep', ['60']);
    const asked = ranksOfLauncher(localHost, sleeper.pid ?? 0);
    await assert.rejects(asked, /\(sleep\) has no MPI ranks below it on this host: give the pid of mpirun/);
    sleeper.kill();
    await assert.rejects(ranksOfLauncher(localHost, 2 ** 22 + 1), /there is no process 4194305/);
  });
});
