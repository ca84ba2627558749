import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Starter } from '../../adapter/cli/run/starter';
import { HostProcess } from '../../adapter/hosts/host-process';
import { localHost } from '../../adapter/hosts/local-host';
import { eventually } from '../support/process-state';

const childrenOf = (pid: number): Promise<number[]> => new HostProcess(localHost, pid).children();

describe('what has started the ranks of a job', () => {
  it('is the process that they have in common below the script, and no wrapper of one of them', async () => {
    // A rank may have a script around it.
    const launcher = 'sh -c "sleep 60; true" & sleep 60 & wait';
    const script = spawn('sh', ['-c', `sh -c '${launcher}'; sleep 60`], { stdio: 'ignore', detached: true });
    const pid = script.pid!;
    try {
      let ranks: number[] = [];
      let started = 0;
      await eventually('two ranks run', async () => {
        [started = 0] = await childrenOf(pid);
        const [wrapper = 0, other = 0] = started === 0 ? [] : await childrenOf(started);
        const [wrapped = 0] = wrapper === 0 ? [] : await childrenOf(wrapper);
        ranks = [wrapped, other];
        return !ranks.includes(0);
      });
      const starter = await Starter.of(ranks, pid);
      assert.equal(await starter?.hasEnded(), false);
      process.kill(ranks[0]!, 'SIGKILL');
      assert.equal(await starter?.hasEnded(), false);
      process.kill(started, 'SIGKILL');
      await eventually('the launcher has ended', async () => (await starter?.hasEnded()) === true);
      assert.equal(await Starter.of([started], pid), undefined);
    } finally {
      process.kill(-pid, 'SIGKILL');
    }
  });

  it('is not known where the script is the launcher, or of a process that is not below it', async () => {
    const script = spawn('sh', ['-c', 'sleep 60; true'], { stdio: 'ignore', detached: true });
    try {
      await eventually('it has started one', async () => (await childrenOf(script.pid!)).length === 1);
      const [rank] = await childrenOf(script.pid!);
      assert.equal(await Starter.of([rank!], script.pid!), undefined);
      assert.equal(await Starter.of([process.pid], script.pid!), undefined);
    } finally {
      process.kill(-script.pid!, 'SIGKILL');
    }
  });
});
