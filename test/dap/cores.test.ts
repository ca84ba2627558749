/** A session on core files: the same requests as on a live job, and a reason for what only a process can do. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { CoreFolder } from '../support/core-files';
import { DapClient, DapError } from '../support/dap-client';
import { allMpis, markerLine } from '../support/sample-job';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');

for (const mpi of allMpis) {
  it(`the core of a rank of ${mpi} is one session: how it died, its stack, its variables, and nothing that runs`, async () => {
    const folder = new CoreFolder();
    const { client, process: child } = DapClient.spawn(adapter);
    try {
      await folder.crash(mpi, 'segv', { ranks: 2, args: ['1'] });
      await client.request('initialize', { adapterID: 'mpidbg' });
      const attached = client.request('attach', { cores: [join(folder.path, '*', 'core*')] });
      await client.waitFor('initialized');
      await attached;
      const line = markerLine('segv.c', 'follows the pointer');
      assert.match(client.outputText('console'), new RegExp(`rank 1: SIGSEGV at segv.c:${line}, address 0x0`));
      const set = await client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
        source: { path: '/segv.c' },
        breakpoints: [{ line }],
      });
      assert.equal(set.breakpoints[0]?.verified, false);
      await client.request('configurationDone');
      const stopped = await client.waitFor<DebugProtocol.StoppedEvent>('stopped');
      assert.equal(stopped.body.reason, 'exception');
      const { threadId } = stopped.body;
      const { stackFrames } = await client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
        threadId,
      });
      assert.deepEqual([stackFrames[0]?.name, stackFrames[0]?.line], ['read_depth', line]);
      const frameId = stackFrames.find(({ name }) => name === 'main')?.id;
      const culprit = await client.request<DebugProtocol.EvaluateResponse['body']>('evaluate', {
        expression: 'culprit',
        frameId,
        context: 'watch',
      });
      assert.equal(culprit.result, '1');
      const { ranks } = await client.request<{ ranks: { rank: number; state: string }[] }>('mpidbg/ranks');
      assert.deepEqual(
        ranks.map(({ rank, state }) => [rank, state]),
        [[1, 'core']],
      );
      for (const [command, args] of [
        ['continue', { threadId }],
        ['next', { threadId }],
        ['setExpression', { expression: 'culprit', value: '0', frameId }],
      ] as const) {
        await assert.rejects(
          client.request(command, args),
          (error) => error instanceof DapError && /this is a core file/.test(error.message),
        );
      }
      await client.request('disconnect');
    } finally {
      child.kill();
      folder.remove();
    }
  });
}
