/** What gdb does not get of the user's environment. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { attach } from '../../adapter/job-sources/attach';
import { localProcess } from '../support/local-process';
import { tracerOf } from '../support/process-state';

it('gdb is started without what would make it write every character by itself', async () => {
  const before = process.env.PYTHONUNBUFFERED;
  process.env.PYTHONUNBUFFERED = '1';
  const sleeper = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    await once(sleeper, 'spawn');
    const job = await attach({ pids: [sleeper.pid!] });
    const environment = await localProcess(tracerOf(sleeper.pid!)!).environment();
    await job.release();
    assert.ok(environment.has('PATH'));
    assert.ok(!environment.has('PYTHONUNBUFFERED'));
  } finally {
    if (before === undefined) delete process.env.PYTHONUNBUFFERED;
    else process.env.PYTHONUNBUFFERED = before;
    sleeper.kill('SIGKILL');
  }
});
