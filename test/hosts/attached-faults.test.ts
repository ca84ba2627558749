/** What dies, or is cut off, while a job that runs on two hosts is attached to: all its ranks run on, and nothing of mpidbg stays. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { allMpis, type Mpi } from '../support/sample-job';
import { isAlone, isTraced, maxCutMs, maxLeftMs, programsOn, runsFree } from './lost-ranks';
import { allRanks, TwoHosts } from './two-hosts';

describe('a job on two hosts that is attached to, of which something is lost', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  const programs = (host: string): number[] => programsOn(hosts, host, 'communicators');

  const attached = async (mpi: Mpi): Promise<DebugRun> => {
    const { launcherPid } = await hosts.startWaiting(mpi, 'communicators');
    const run = await DebugRun.open({}, hosts.cluster.on('nodea', []));
    await run.attach({ launcherPid });
    await run.nextStops(allRanks, 'attached');
    hosts.assertTokenIsHidden();
    return run;
  };

  for (const mpi of allMpis) {
    it(`the adapter, killed: the ranks of ${mpi} run on, on both hosts`, async () => {
      await attached(mpi);
      const all = [...programs('nodea'), ...programs('nodeb')];
      const [adapter] = hosts.running('nodea', /dist\/adapter\.js$/);
      process.kill(adapter!.pid, 'SIGKILL');
      await eventually('all ranks run', () => all.every(runsFree), maxLeftMs);
      await isAlone(hosts);
      assert.ok(all.every(runsFree), 'a rank has ended');
    });

    it(`the agent of a host, killed: its ranks of ${mpi} run on, the others stay as they are`, async () => {
      const run = await attached(mpi);
      const [near, far] = [programs('nodea'), programs('nodeb')];
      const [agent] = hosts.running('nodeb', /^mpidbg: agent/);
      process.kill(agent!.pid, 'SIGKILL');
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
        /gdb of ranks? 4-7 .*mpidbg can no longer tell/.test(body.output),
      );
      await eventually('the ranks beyond run', () => far.every(runsFree), maxLeftMs);
      assert.ok(near.every(isTraced));
      await run.close();
      await isAlone(hosts);
      assert.ok([...near, ...far].every(runsFree), 'a rank has ended');
    });
  }

  it('the network, and the session ends before it is back: all ranks run on', async () => {
    const run = await attached('openmpi');
    const [near, far] = [programs('nodea'), programs('nodeb')];
    await hosts.cluster.cut('nodeb');
    await eventually('the ranks beyond run', () => far.every(runsFree), maxCutMs);
    assert.ok(near.every(isTraced));
    await run.close();
    await hosts.cluster.restore('nodeb');
    // The agent there tries for half a minute.
    await isAlone(hosts, maxCutMs);
    assert.ok([...near, ...far].every(runsFree), 'a rank has ended');
  });
});
