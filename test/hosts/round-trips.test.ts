/** How often the adapter waits for a host that is far away, and how many bytes go there and back. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Document } from '../../plugin-api/mpi/records';
import { allMpis } from '../support/sample-job';
import { FrameLog } from './frame-log';
import { allRanks, ranks, TwoHosts } from './two-hosts';

/** Milliseconds each way: there and back is longer than the adapter takes between two questions, on a busy machine too. */
const delay = 250;

describe('a rank on a host that is far away', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  for (const mpi of allMpis) {
    it(`of ${mpi} tells its handles after few questions in a row, and steps after one`, async () => {
      await hosts.cluster.slow('nodeb', { delay });
      const log = new FrameLog(join(hosts.newFolder(), 'frames'));
      const run = await hosts.launch({
        mpi,
        program: 'ring',
        breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 1' }],
        through: [...hosts.cluster.on('nodea', []), ...log.through],
      });
      await run.nextStops(allRanks, 'breakpoint');
      const measured = async (work: () => Promise<unknown>): Promise<{ questions: number; bytes: number }> => {
        const [since, before] = [log.length, await hosts.cluster.traffic('nodeb')];
        await work();
        return { questions: log.sequential(since), bytes: (await hosts.cluster.traffic('nodeb')) - before };
      };
      const handles = async (): Promise<void> => {
        const { ranks: told } = await run.client.request<Document>('mpidbg/handles', { ranks: String(ranks - 1) });
        const answers = told.flatMap((each) => ('answers' in each ? each.answers : []));
        assert.ok(answers.filter(({ code }) => code === 'MPIDBG_SUCCESS').length > 20);
      };

      const first = await measured(handles);
      assert.ok(first.questions > 0 && first.questions <= 5, `${first.questions} questions in a row`);
      // 6 seconds at 1 Mbit/s.
      assert.ok(first.bytes < 750_000, `${first.bytes} bytes`);
      const again = await measured(handles);
      assert.ok(again.questions <= 1, `${again.questions} questions in a row in the same stop`);

      const step = await measured(async () => {
        await run.client.request('next', { threadId: await run.threadOf(0) });
        await run.nextStops(allRanks, 'step');
      });
      assert.equal(step.questions, 1);

      const later = await measured(handles);
      assert.ok(later.questions <= 4, `${later.questions} questions in a row in a later stop`);
      assert.ok(later.bytes < 200_000, `${later.bytes} bytes`);
      await run.kill();
    });
  }
});
