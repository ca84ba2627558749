/** A job under mpidbg's debug adapter, driven as an editor drives it. */
import { once } from 'node:events';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapClient } from '../test/support/dap-client';
import { costBelow } from './process-cost';
import type { Scenario, StoppedJob } from './scenario';

export async function startMpidbg(scenario: Scenario): Promise<StoppedJob> {
  const { launcher, launcherArgs, program, ranks, source, line, pids } = scenario;
  const { client, process: adapter } = DapClient.spawn(join(__dirname, '..', 'dist', 'adapter.js'));
  await client.request('initialize', { adapterID: 'mpidbg' });
  const started =
    pids === undefined
      ? client.request('launch', { program, ranks, launcher, launcherArgs })
      : client.request('attach', { pids });
  await Promise.race([client.waitFor('initialized', () => true, { timeoutMs: 120_000 }), started]);
  if (pids === undefined) await client.request('setBreakpoints', { source: { path: source }, breakpoints: [{ line }] });
  await client.request('configurationDone');
  await started;
  const allStopped = async (since: number): Promise<number> => {
    const stopped = await client.waitFor<DebugProtocol.StoppedEvent>(
      'stopped',
      ({ body }) => body.allThreadsStopped === true,
      { since, timeoutMs: 120_000 },
    );
    return stopped.body.threadId!;
  };
  let threadId = await allStopped(0);
  return {
    async stepAll() {
      const since = client.events.length;
      await client.request('next', { threadId });
      threadId = await allStopped(since);
    },
    threads: async () => void (await client.request('threads')),
    stacks: async () => void (await client.request('mpidbg/stacks')),
    // Its own gdbs, their guardians, the launcher's supervisor, and the adapter; not the launcher, not the ranks.
    cost: () =>
      costBelow(adapter.pid!, (p) => p.pid === adapter.pid || p.name === 'gdb' || p.commandLine.includes('agent.pl')),
    async end() {
      const exited = once(adapter, 'exit');
      await client.request('disconnect', { terminateDebuggee: pids === undefined });
      adapter.stdin?.end();
      await exited;
    },
  };
}
