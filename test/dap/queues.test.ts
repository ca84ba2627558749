/** mpidbg/queues and `mpi queues` at a stop: as many messages as the program knows of. */
import assert from 'node:assert/strict';
import type { CommQueues, QueuesDocument } from '../../plugin-api/mpi/queue-records';
import { isUnavailable } from '../../plugin-api/result';
import { allMpis } from '../support/sample-job';
import { DebugRun } from './debug-run';

const waiting = { source: 'queues.c', marker: 'waiting' };

for (const mpi of allMpis)
  it(`mpidbg/queues answers the message queues of the ranks that are asked: ${mpi}`, async () => {
    const { run } = await DebugRun.stopped({ mpi, program: 'queues', breakpoints: [waiting] });
    try {
      const document = await run.client.request<QueuesDocument>('mpidbg/queues', { ranks: '1,3' });
      assert.deepEqual(
        document.ranks.map(({ rank }) => rank),
        [1, 3],
      );
      for (const rank of document.ranks) {
        assert.ok('comms' in rank, JSON.stringify(rank));
        const ocean = rank.comms.find(({ comm }) => comm.name === 'ocean');
        assert.ok(ocean !== undefined, 'the communicator is there');
        const { id } = await run.topFrame(rank.rank ?? -1);
        for (const queue of ['posted', 'unexpected', 'sends'] as const) {
          const items: CommQueues[typeof queue] = ocean[queue];
          const told = await run.evaluate(`all[0].${queue}.count`, 'watch', id);
          assert.equal(isUnavailable(items) ? items.reason : items.length, Number(told.result), queue);
        }
      }
      const { result } = await run.evaluate('mpi queues --full', 'repl');
      assert.match(result, /^MPI_Comm "ocean"\n/);
      assert.match(result, /unexpected message from .*, tag 74, 0 bytes$/m);
    } finally {
      await run.close();
    }
  });
