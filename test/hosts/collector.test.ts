/** The collector in ranks of a host that has no file of mpidbg: its agent puts copies there. */
import assert from 'node:assert/strict';
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugRun } from '../dap/debug-run';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { allMpis, type Mpi } from '../support/sample-job';
import { allRanks, farRanks, ranks, TwoHosts } from './two-hosts';

const copies = /^[0-9a-f]{64}-mpidbg-(calls|collector|ompt)\.so$/;

describe('the collector on two hosts', () => {
  let hosts: TwoHosts;
  /** The user's, which both hosts see. */
  let cache: string;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
    cache = hosts.newFolder();
  });
  afterEach(() => hosts.stop());

  const collected = join('mpidbg', 'collector');

  /** All ranks have received what the one before has sent. */
  async function inTheRing(mpi: Mpi): Promise<DebugRun> {
    const run = await hosts.launch(
      {
        ...{ mpi, program: 'ring', attributes: { collector: { calls: true, libomp: 'libomp.so.5' } } },
        breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 2' }],
      },
      { XDG_CACHE_HOME: cache },
    );
    await run.nextStops(allRanks, 'breakpoint');
    return run;
  }

  async function lastReceived(run: DebugRun): Promise<unknown[]> {
    const document = await run.client.request<OverlayDocument>('mpidbg/calls', { last: 20 });
    return document.ranks.map((rank) => {
      assert.ok('collector' in rank, JSON.stringify(rank));
      if (rank.calls === undefined || isUnavailable(rank.calls)) return rank.calls?.reason;
      return rank.calls[0]!.calls.findLast(({ name }) => name === 'MPI_Recv')?.peer;
    });
  }

  for (const mpi of allMpis) {
    it(`tells the calls of ranks of ${mpi} on both, from copies that only the user can change`, async () => {
      for (const time of ['first', 'again']) {
        const run = await inTheRing(mpi);
        assert.deepEqual(
          await lastReceived(run),
          allRanks.map((rank) => (rank + ranks - 1) % ranks),
          time,
        );
        const names = readdirSync(join(cache, collected));
        assert.deepEqual([names.length, names.every((name) => copies.test(name))], [3, true], names.join());
        for (const path of [collected, ...names.map((name) => join(collected, name))])
          assert.equal(lstatSync(join(cache, path)).mode & 0o777, 0o700, path);
        await hosts.end(run, mpi);
      }
    });
  }

  it('is left out where others could change the copies, and the ranks run', async () => {
    mkdirSync(join(cache, collected), { recursive: true });
    chmodSync(join(cache, collected), 0o777);
    const run = await inTheRing('openmpi');
    assert.match(run.client.outputText('stderr'), /mpidbg: ranks on nodeb run without the collector: EACCES: /);
    const told = await lastReceived(run);
    for (const rank of farRanks) assert.match(String(told[rank]), /collector/);
    assert.deepEqual(told.slice(0, 2), [ranks - 1, 0]);
    await hosts.end(run, 'openmpi');
  });
});
