/** What dies, or is cut off, in a job on two hosts: no rank stays frozen, and nothing stays behind. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugRun } from '../dap/debug-run';
import { eventually, processState, tracerOf } from '../support/process-state';
import { allMpis, type Mpi } from '../support/sample-job';
import { allRanks, farRanks, ranks, TwoHosts } from './two-hosts';

describe('a job on two hosts of which something is lost', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  const stopped = async (mpi: Mpi): Promise<DebugRun> => {
    const run = await hosts.launch({
      mpi,
      program: 'ring',
      breakpoints: [{ source: 'ring.c', marker: 'token arrived', condition: 'lap == 1' }],
    });
    await run.nextStops(allRanks, 'breakpoint');
    return run;
  };

  for (const mpi of allMpis) {
    it(`the adapter, killed: the ranks of ${mpi} end on both hosts`, async () => {
      await stopped(mpi);
      const [adapter] = hosts.running('nodea', /dist\/adapter\.js$/);
      process.kill(adapter!.pid, 'SIGKILL');
      await hosts.isQuiet();
    });

    it(`the agent of a host, killed: its ranks of ${mpi} are lost, and nothing is left`, async () => {
      const run = await stopped(mpi);
      const [agent] = hosts.running('nodeb', /^mpidbg: agent/);
      process.kill(agent!.pid, 'SIGKILL');
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
        new RegExp(`gdb of ranks? ${farRanks[0]}-${farRanks.at(-1)} .*mpidbg can no longer tell`).test(body.output),
      );
      await run.close();
      await hosts.isQuiet();
    });
  }

  it('the network: the ranks beyond are let go and live on, the others stay as they are', async () => {
    const run = await stopped('openmpi');
    const far = hosts.running('nodeb', /^\S*\/ring$/).map(({ pid }) => pid);
    assert.equal(far.length, farRanks.length);
    await hosts.cluster.cut('nodeb');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
      /gdb of ranks? 4-7 .*mpidbg can no longer tell/.test(body.output),
    );
    await eventually(
      'the ranks beyond run',
      () => far.every((pid) => tracerOf(pid) === 0 && processState(pid) !== 'T'),
      40_000,
    );
    assert.equal((await run.local(0, 'rank')).value, '0');
    const { ranks: states } = await run.client.request<{ ranks: { state: string }[] }>('mpidbg/ranks');
    assert.deepEqual(
      states.map(({ state }) => state),
      Array.from({ length: ranks }, (_, rank) => (rank < ranks / 2 ? 'stopped' : 'lost')),
    );
    await hosts.cluster.restore('nodeb');
    // They run without a debugger, and can be attached to again.
    const [launcher] = hosts.running('nodea', /^mpirun\.openmpi /);
    const info = await hosts.cli(['info', '--launcher', String(launcher!.pidThere), '--ranks', '4-7', '--json']);
    const { ranks: again } = JSON.parse(info) as Document;
    assert.deepEqual(
      again.map(({ rank, host }) => `${rank} ${host}`),
      farRanks.map((rank) => `${rank} nodeb`),
    );
    await run.close();
    await hosts.isQuiet();
  });
});
