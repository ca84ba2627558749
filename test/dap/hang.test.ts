/** mpidbg/hang and `mpi hang`: rank 1 is in its own code, the others wait for it in MPI_Barrier. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

for (const mpi of allMpis)
  it(`mpidbg/hang answers who is in its own code, and where: ${mpi}`, async () => {
    const run = await DebugRun.launch({ mpi, program: 'hang', attributes: { args: ['1'] } });
    try {
      const isToldBy = ({ body }: DebugProtocol.OutputEvent): boolean => body.output.includes('rank 1 hangs');
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', isToldBy);
      const running = await run.client.request<HangDocument>('mpidbg/hang', {});
      assert.equal(running.verdict, 'unknown', 'ranks that run cannot be asked');
      await run.client.request('pause', { threadId: await run.threadOf(0) });
      await run.nextStops([0, 1, 2, 3], 'pause');
      const { verdict, type, culprits, sentence } = await run.client.request<HangDocument>('mpidbg/hang', {});
      assert.deepEqual({ verdict, type, culprits }, { verdict: 'progress', type: null, culprits: [] }, sentence);
      assert.match(sentence, /Rank 1 is in its own code at hang\.c:\d+/);
      const { result } = await run.evaluate('mpi hang', 'repl');
      assert.ok(result.startsWith(sentence), result);
    } finally {
      await run.close();
    }
  });
