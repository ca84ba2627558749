/** What dies, or is cut off, while a job that runs on two hosts is attached to: all its ranks run on, and nothing of mpidbg stays. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from '../dap/debug-run';
import { eventually, hasEnded, processState, tracerOf } from '../support/process-state';
import { allMpis, type Mpi } from '../support/sample-job';
import { allRanks, ranks, TwoHosts } from './two-hosts';

/** As long as all that mpidbg leaves behind may take to end. */
const maxLeftMs = 10_000;

const runsFree = (pid: number): boolean => !hasEnded(pid) && tracerOf(pid) === 0 && processState(pid) !== 'T';

describe('a job on two hosts that is attached to, of which something is lost', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  const programs = (host: string): number[] => {
    const pids = hosts.running(host, /^\S*\/communicators --wait$/).map(({ pid }) => pid);
    assert.equal(pids.length, ranks / 2);
    return pids;
  };

  const attached = async (mpi: Mpi): Promise<DebugRun> => {
    const { launcherPid } = await hosts.startWaiting(mpi, 'communicators');
    const run = await DebugRun.open({}, hosts.cluster.on('nodea', []));
    await run.attach({ launcherPid });
    await run.nextStops(allRanks, 'attached');
    hosts.assertTokenIsHidden();
    return run;
  };

  /** Nothing but the job itself. */
  const isAlone = (deadlineMs = maxLeftMs): Promise<void> => {
    const left = (): string[] =>
      ['nodea', 'nodeb'].flatMap((name) =>
        hosts.running(name, /MPIDBG_AGENT|agent\.pl|adapter\.js|^mpidbg:|^gdb /).map((each) => each.commandLine),
      );
    return eventually(
      () => `the end of ${left().join('\n')}`,
      () => left().length === 0,
      deadlineMs,
    );
  };

  for (const mpi of allMpis) {
    it(`the adapter, killed: the ranks of ${mpi} run on, on both hosts`, async () => {
      await attached(mpi);
      const all = [...programs('nodea'), ...programs('nodeb')];
      const [adapter] = hosts.running('nodea', /dist\/adapter\.js$/);
      process.kill(adapter!.pid, 'SIGKILL');
      await eventually('all ranks run', () => all.every(runsFree), maxLeftMs);
      await isAlone();
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
      assert.ok(near.every((pid) => tracerOf(pid) !== 0));
      await run.close();
      await isAlone();
      assert.ok([...near, ...far].every(runsFree), 'a rank has ended');
    });
  }

  it('the network: the ranks beyond are let go, told when it is back, and can be attached to again', async () => {
    const run = await attached('openmpi');
    const [near, far] = [programs('nodea'), programs('nodeb')];
    await hosts.cluster.cut('nodeb');
    await eventually('the ranks beyond run', () => far.every(runsFree), 60_000);
    assert.ok(near.every((pid) => tracerOf(pid) !== 0));
    await hosts.cluster.restore('nodeb');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
      /ranks 4-7 on nodeb: they run without a debugger now, and can be attached to/.test(body.output),
    );
    const [launcher] = hosts.running('nodea', /^mpirun\.openmpi .*--wait/);
    const again = await DebugRun.open({}, hosts.cluster.on('nodea', []));
    await again.attach({ launcherPid: launcher!.pidThere, ranks: '4-7' });
    await again.nextStops([4, 5, 6, 7], 'attached');
    assert.ok(far.every((pid) => tracerOf(pid) !== 0));
    await again.close();
    await run.close();
    await isAlone();
    assert.ok([...near, ...far].every(runsFree), 'a rank has ended');
  });
});
