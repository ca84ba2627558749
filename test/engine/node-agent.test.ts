/** The agent of another host, started on this one, where another user's hub is not in its way: what it answers is what the kernel says. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { AgentHost } from '../../adapter/agent/agent-host';
import { agentScript } from '../../adapter/agent/agent-script';
import { Hub } from '../../adapter/agent/hub';
import type { Link } from '../../adapter/agent/link';
import { localHost } from '../../adapter/hosts/local-host';
import { shippedMpis } from '../../plugin-api/plugins/shipped';
import { eventually, processState } from '../support/process-state';

describe('the agent of a host', () => {
  let hub: Hub;
  let host: AgentHost;
  let finder: ChildProcess;

  before(async () => {
    hub = await Hub.listen(shippedMpis, { addresses: ['127.0.0.1'] });
    const linked = once(hub, 'link') as Promise<[Link]>;
    // As on a host on which nobody listens where the debugger's own does.
    const env = { ...process.env, ...hub.environment, MPIDBG_HUB: '' };
    finder = spawn('perl', [agentScript, 'find'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    host = new AgentHost(hub, (await linked)[0]);
  });
  after(async () => {
    const ended = once(finder, 'exit');
    hub.close();
    await ended;
  });

  it('tells of all processes at once which of them live', async () => {
    const short = spawn('sh', ['-c', 'read line; exit 5'], { stdio: ['pipe', 'ignore', 'ignore'] });
    // A parent that does not wait for it.
    const parent = spawn('sh', ['-c', '(exit 7) & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const dead = Number(line.toString());
      await eventually('the end of the child', () => processState(dead) === 'Z');
      const pids = [process.pid, dead, short.pid!, 0x7ffffff];
      const lives = await host.lives(pids);
      assert.deepEqual(lives, await localHost.lives(pids));
      assert.deepEqual(
        lives.map((life) => life?.endStatus),
        [undefined, 7 << 8, undefined, undefined],
      );
      assert.equal(lives[3], undefined);
    } finally {
      short.kill();
      parent.kill();
    }
  });
});
