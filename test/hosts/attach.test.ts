/** A job that runs on two hosts, attached to from one of them by the pid of its launcher. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Document } from '../../plugin-api/mpi/records';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { eventually, processState, tracerOf } from '../support/process-state';
import { allMpis } from '../support/sample-job';
import { questions } from '../support/truth';
import { ranks, TwoHosts } from './two-hosts';

describe('a job that runs on two hosts', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  for (const mpi of allMpis) {
    it(`of ${mpi} tells of all its ranks, and is left as it was`, async () => {
      const { launcher, launcherPid, truth } = await hosts.startWaiting(mpi, 'communicators');
      const programs = hosts.cluster.hosts.flatMap(({ name }) => hosts.running(name, /^\S*\/communicators --wait$/));
      assert.equal(programs.length, ranks);
      const shown = await hosts.cli(['show', ...questions(truth), '--launcher', String(launcherPid), '--json']);
      const document = JSON.parse(shown) as Document;
      assert.deepEqual(
        document.ranks.map(({ rank, host }) => [rank, host]),
        Array.from({ length: ranks }, (_, rank) => [rank, rank < ranks / 2 ? 'nodea' : 'nodeb']),
      );
      assertAgree(compareDocument(truth, document, mpi), mpi === 'openmpi' ? 9940 : 7900);
      for (const { pid } of programs) assert.deepEqual([tracerOf(pid), processState(pid) === 'T'], [0, false]);
      for (const { name } of hosts.cluster.hosts)
        await eventually(
          `the end of mpidbg on ${name}`,
          () => hosts.running(name, /agent\.pl|^mpidbg:|^gdb /).length === 0,
        );
      if (mpi === 'openmpi') {
        for (const { pid } of programs) process.kill(pid, 'SIGUSR1');
        const [status] = (await once(launcher, 'exit')) as [number | null];
        assert.equal(status, 0);
      }
    });
  }
});
