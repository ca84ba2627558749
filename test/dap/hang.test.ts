/** mpidbg/hang and `mpi hang`: rank 1 is in its own code, the others wait for it in MPI_Barrier. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const busy = { source: 'hang.c', marker: 'still busy' };

for (const mpi of allMpis)
  it(`mpidbg/hang answers who is in its own code, and where: ${mpi}`, async () => {
    const { run } = await DebugRun.stopped({ mpi, program: 'hang', breakpoints: [busy] });
    try {
      const document = await run.client.request<HangDocument>('mpidbg/hang', {});
      const { verdict, type, culprits } = document;
      assert.deepEqual(
        { verdict, type, culprits },
        { verdict: 'progress', type: null, culprits: [] },
        document.sentence,
      );
      assert.match(document.sentence, /Rank 1 is in its own code at hang\.c:\d+/);
      const { result } = await run.evaluate('mpi hang', 'repl');
      assert.ok(result.startsWith(document.sentence), result);
    } finally {
      await run.close();
    }
  });
