/** A job that prints more than anybody reads. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hub } from '../../adapter/agent/hub';
import { superviseLauncher } from '../../adapter/agent/supervised-launcher';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { eventually, processesWith } from '../support/process-state';

/** More than pipes and the buffers of streams hold. */
const printedBytes = 4_000_000;

describe('output that is held', () => {
  let folder: string;
  let hub: Hub;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mpidbg-output-'));
    hub = await Hub.listen(shippedMpis);
  });
  after(() => {
    hub.close();
    rmSync(folder, { recursive: true });
  });

  function start(name: string): {
    launcher: ReturnType<typeof superviseLauncher>;
    printed: () => number;
    done: string;
  } {
    const done = join(folder, name);
    let length = 0;
    const launcher = superviseLauncher(hub, {
      command: ['sh', '-c', `head -c ${printedBytes} /dev/zero; : > ${done}`],
      cwd: folder,
      env: { ...process.env, MPIDBG_TEST_OUTPUT: done },
      stdin: undefined,
      onOutput: (text) => (length += text.length),
    });
    return { launcher, printed: () => length, done };
  }

  async function begun(done: string): Promise<void> {
    const isHead = (command: string): boolean => / head -c /.test(command) && !command.includes('sh -c');
    await eventually('the job prints', () => processesWith(`MPIDBG_TEST_OUTPUT=${done}`).some(isHead));
  }

  it('makes the job wait, and comes whole afterwards', async () => {
    let release = (): void => undefined;
    const { launcher, printed, done } = start('waits');
    launcher.holdOutput(new Promise((resolve) => (release = resolve)));
    await begun(done);
    assert.equal(printed(), 0);
    assert.equal(existsSync(done), false);
    release();
    assert.deepEqual(await launcher.ended, { exitCode: 0 });
    assert.equal(printed(), printedBytes);
    assert.equal(existsSync(done), true);
  });

  it('does not keep a job from being ended', async () => {
    const { launcher, done } = start('ended');
    launcher.holdOutput(new Promise(() => undefined));
    await begun(done);
    launcher.terminate();
    await launcher.ended;
    assert.deepEqual(processesWith(`MPIDBG_TEST_OUTPUT=${done}`), []);
  });
});
