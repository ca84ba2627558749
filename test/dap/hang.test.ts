/** mpidbg/hang and `mpi hang`: rank 1 waits in its own code for a variable to change, the others wait for it in MPI_Barrier. */
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
      await run.nextStops([0, 1, 2, 3], 'paused');
      const { verdict, type, culprits, sentence } = await run.client.request<HangDocument>('mpidbg/hang', {});
      assert.deepEqual({ verdict, type, culprits }, { verdict: 'unknown', type: null, culprits: [] }, sentence);
      assert.match(sentence, /Rank 1 is in its own code at hang\.c:\d+, polling keep_busy \(now 1\)/);
      const { result } = await run.evaluate('mpi hang', 'repl');
      assert.ok(result.startsWith(sentence), result);
    } finally {
      await run.close();
    }
  });

it('mpidbg/hang is certain of a hang once its ranks have run between two looks: MPICH, which counts no messages', async () => {
  const run = await DebugRun.launch({ mpi: 'mpich', program: 'mismatch' });
  try {
    const isTold = ({ body }: DebugProtocol.OutputEvent): boolean => body.output.includes('begins');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', isTold);
    const threadId = await run.threadOf(0);
    const ask = async (): Promise<HangDocument> => {
      await run.client.request('pause', { threadId });
      await run.nextStops([0, 1, 2, 3], 'paused');
      return run.client.request<HangDocument>('mpidbg/hang', {});
    };
    const askLater = async (): Promise<HangDocument> => {
      await run.client.request('continue', { threadId });
      return ask();
    };
    // How long the ranks need to come to where they hang nobody tells.
    let first = await ask();
    while (first.verdict === 'progress') first = await askLater();
    assert.equal(first.verdict, 'unknown', first.sentence);
    assert.equal(
      (await run.client.request<HangDocument>('mpidbg/hang', {})).verdict,
      'unknown',
      'nobody has run since',
    );
    let last = first;
    while (last.verdict !== 'deadlock') last = await askLater();
    const { proof, type, culprits, looks } = last;
    assert.deepEqual({ proof, type, culprits }, { proof: 'two-looks', type: 'tag-mismatch', culprits: [0, 1] });
    assert.equal(looks.count, 2);
    // VS Code asks for its line above the ranks, for the view and for the picture.
    const some = await run.client.request<HangDocument>('mpidbg/hang', { ranks: '2-3' });
    assert.equal(some.ranks.length, 2);
    const again = await run.client.request<HangDocument>('mpidbg/hang', {});
    assert.deepEqual([again.verdict, again.sentence], [last.verdict, last.sentence], 'at the same stop');
  } finally {
    await run.close();
  }
});
