/** A host that is far away, or behind a narrow way: everything is as it is at home, only later. */
import assert from 'node:assert/strict';
import { allMpis } from '../support/sample-job';
import type { CommInfo, Document } from '../../plugin-api/mpi/records';
import { allRanks, ranks, TwoHosts } from './two-hosts';

describe('a launch on two hosts of which one', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  const ways = { 'is 200 ms away': { delay: 100 }, 'has 1 Mbit/s': { rate: 1e6 } };
  for (const [name, way] of Object.entries(ways)) {
    for (const mpi of allMpis) {
      it(`${name}: ranks of ${mpi} stop, step and tell their handles`, async () => {
        await hosts.cluster.slow('nodeb', way);
        const run = await hosts.launch({
          mpi,
          program: 'ring',
          breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 1' }],
        });
        await run.nextStops(allRanks, 'breakpoint');
        await run.client.request('next', { threadId: await run.threadOf(0) });
        await run.nextStops(allRanks, 'step');
        for (const rank of [0, ranks - 1]) assert.equal((await run.local(rank, 'rank')).value, String(rank));
        const shown = await run.client.request<Document>('mpidbg/show', {
          expressions: ['MPI_COMM_WORLD'],
          ranks: `0-${ranks - 1}`,
        });
        const answers = shown.ranks.flatMap((each) => ('answers' in each ? each.answers : []));
        assert.deepEqual(
          answers.map((answer) => {
            assert.ok(answer.code === 'MPIDBG_SUCCESS', JSON.stringify(answer));
            const { rank, size } = answer.info as CommInfo;
            return [rank, size];
          }),
          allRanks.map((rank) => [rank, ranks]),
        );
        await run.close();
        await hosts.isQuiet();
      });
    }
  }
});
