/** A job that runs on two hosts, attached to from one of them by the pid of its launcher. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../plugin-api/mpi/records';
import { DebugRun } from '../dap/debug-run';
import { assertAgree, compareDocument } from '../support/compare-facts';
import { eventually, processState, tracerOf } from '../support/process-state';
import { allMpis } from '../support/sample-job';
import { questions } from '../support/truth';
import { allRanks, ranks, TwoHosts } from './two-hosts';

describe('a job that runs on two hosts', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  const program = /^\S*\/communicators --wait$/;
  const programsOf = (): number[] => {
    const pids = hosts.cluster.hosts.flatMap(({ name }) => hosts.running(name, program).map(({ pid }) => pid));
    assert.equal(pids.length, ranks);
    return pids;
  };

  for (const mpi of allMpis) {
    it(`of ${mpi} tells of all its ranks, and is left as it was`, async () => {
      const { launcher, launcherPid, truth } = await hosts.startWaiting(mpi, 'communicators');
      const programs = programsOf();
      const shown = await hosts.cli(['show', ...questions(truth), '--launcher', String(launcherPid), '--json']);
      const document = JSON.parse(shown) as Document;
      assert.deepEqual(
        document.ranks.map(({ rank, host }) => [rank, host]),
        Array.from({ length: ranks }, (_, rank) => [rank, rank < ranks / 2 ? 'nodea' : 'nodeb']),
      );
      assertAgree(compareDocument(truth, document, mpi), mpi === 'openmpi' ? 9940 : 7900);
      for (const pid of programs) assert.deepEqual([tracerOf(pid), processState(pid) === 'T'], [0, false]);
      for (const { name } of hosts.cluster.hosts)
        await eventually(
          `the end of mpidbg on ${name}`,
          () => hosts.running(name, /MPIDBG_AGENT|agent\.pl|^mpidbg:|^gdb /).length === 0,
        );
      if (mpi === 'openmpi') {
        for (const pid of programs) process.kill(pid, 'SIGUSR1');
        const [status] = (await once(launcher, 'exit')) as [number | null];
        assert.equal(status, 0);
      }
    });
  }

  it('is debugged by an editor as at home, and left running', async () => {
    const { launcherPid } = await hosts.startWaiting('mpich', 'communicators');
    const programs = programsOf();
    const run = await DebugRun.open({}, hosts.cluster.on('nodea', []));
    const attached = run.client.request('attach', { launcherPid });
    await run.client.waitFor('initialized');
    await run.client.request('configurationDone');
    await attached;
    await run.nextStops(allRanks, 'attached');
    for (const rank of allRanks)
      assert.equal((await run.frames(await run.threadOf(rank))).at(-1)?.name.replace(/ .*/, ''), 'main');
    const { ranks: told } = await run.client.request<{ ranks: { host: string }[] }>('mpidbg/ranks');
    assert.deepEqual([...new Set(told.map(({ host }) => host))], ['nodea', 'nodeb']);
    await run.close();
    for (const pid of programs) assert.deepEqual([tracerOf(pid), processState(pid) === 'T'], [0, false]);
  });

  it('has a report of all its ranks', async () => {
    const { launcherPid } = await hosts.startWaiting('openmpi', 'communicators');
    const file = join(hosts.newFolder(), 'report.html');
    await hosts.cli(['report', '--launcher', String(launcherPid), '-o', file]);
    const page = readFileSync(file, 'utf8');
    for (const host of ['nodea', 'nodeb']) assert.ok(page.includes(host), host);
    assert.match(page, /0-7/);
    assert.match(page, /MPI_COMM_WORLD/);
  });

  for (const mpi of allMpis) {
    it(`of ${mpi} leaves cores that tell the same, gathered from the folder of each host`, async () => {
      const { launcherPid, truth } = await hosts.startWaiting(mpi, 'communicators');
      // As a kernel does that names cores by the process's own number: two hosts have the same names.
      const cores = await Promise.all(
        hosts.cluster.hosts.map(async ({ name }) => {
          const folder = hosts.newFolder();
          const pids = hosts.running(name, program).map(({ pidThere }) => pidThere);
          const commands = pids.flatMap((pid) => [`attach ${pid}`, `gcore ${folder}/core.${pid}`, 'detach']);
          await hosts.run(name, [
            ...['gdb', '-nx', '-batch', '-iex', 'set auto-solib-add off'],
            ...commands.flatMap((each) => ['-ex', each]),
          ]);
          return join(folder, 'core.*');
        }),
      );
      const live = JSON.parse(await hosts.cli(['info', '--launcher', String(launcherPid), '--json'])) as Document;
      const shown = await hosts.cli(['show', ...questions(truth), '--core', ...cores, '--json']);
      const document = JSON.parse(shown) as Document;
      assert.deepEqual(
        document.ranks.map(({ rank }) => rank),
        live.ranks.map(({ rank }) => rank),
      );
      assertAgree(compareDocument(truth, document, mpi), mpi === 'openmpi' ? 9000 : 7000);
    });
  }
});
