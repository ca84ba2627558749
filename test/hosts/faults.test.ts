/** What dies, or is cut off, in a job on two hosts: no rank stays frozen, and nothing stays behind. */
import assert from 'node:assert/strict';
import type { Document } from '../../plugin-api/mpi/records';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugRun } from '../dap/debug-run';
import { eventually, hasEnded, processState, tracerOf } from '../support/process-state';
import { allMpis, type Mpi } from '../support/sample-job';
import { allRanks, farRanks, ranks, TwoHosts } from './two-hosts';

const isLoss = /gdb of ranks? 4-7 .*mpidbg can no longer tell/;

const runsFree = (pid: number): boolean => !hasEnded(pid) && tracerOf(pid) === 0 && processState(pid) !== 'T';

/** What all ranks of the first host are, and all of the other. */
const halves = <What>(near: What, far: What): What[] => allRanks.map((rank) => (rank < ranks / 2 ? near : far));

async function isToldFree(run: DebugRun): Promise<void> {
  await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
    /ranks 4-7 on nodeb: they run without a debugger now, and can be attached to/.test(body.output),
  );
}

async function statesOf(run: DebugRun): Promise<string[]> {
  const answer = await run.client.request<{ ranks: { state: string }[] }>('mpidbg/ranks');
  return answer.ranks.map(({ state }) => state);
}

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

  const programs = (host: string): number[] => {
    const pids = hosts.running(host, /^\S*\/ring$/).map(({ pid }) => pid);
    assert.equal(pids.length, ranks / 2);
    return pids;
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

    it(`a gdb of a host, killed: its ranks of ${mpi} run on without it, the others stay as they are`, async () => {
      const run = await stopped(mpi);
      const far = programs('nodeb');
      const [gdb] = hosts.running('nodeb', /^gdb /);
      process.kill(gdb!.pid, 'SIGKILL');
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
        /gdb of ranks? 4-7 was killed by SIGKILL on nodeb/.test(body.output),
      );
      await eventually('the ranks beyond run', () => far.every(runsFree));
      await isToldFree(run);
      assert.deepEqual(await statesOf(run), halves('stopped', 'lost'));
      assert.equal((await run.local(0, 'rank')).value, '0');
      await run.close();
      await hosts.isQuiet();
    });
  }

  const killDaemon = (): void => {
    const [daemon] = hosts.running('nodeb', /^\S*(orted|hydra_pmi_proxy) /);
    process.kill(daemon!.pid, 'SIGKILL');
  };

  it("the launcher's daemon on a host, killed: the job of openmpi ends on both", async () => {
    const run = await stopped('openmpi');
    killDaemon();
    await run.client.waitFor('terminated');
    await run.close();
    await hosts.isQuiet();
  });

  // With and without mpidbg: the ranks of MPICH have the daemon's connection too, so mpiexec sees no end of it.
  it("the launcher's daemon on a host, killed: the job of mpich stays as it is, and ends with the session", async () => {
    const run = await stopped('mpich');
    killDaemon();
    assert.equal((await run.local(ranks - 1, 'rank')).value, String(ranks - 1));
    assert.deepEqual(await statesOf(run), halves('stopped', 'stopped'));
    await run.close();
    await hosts.isQuiet();
  });

  it('the network, and a guardian before it: the ranks beyond are let go all the same', async () => {
    const run = await stopped('mpich');
    const far = programs('nodeb');
    const [guardian] = hosts.running('nodeb', /^mpidbg: guardian/);
    process.kill(guardian!.pid, 'SIGKILL');
    await hosts.cluster.cut('nodeb');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => isLoss.test(body.output));
    await eventually('the ranks beyond run', () => far.every(runsFree), 40_000);
    await hosts.cluster.restore('nodeb');
    await run.close();
    await hosts.isQuiet();
  });

  it('the network: the ranks beyond are let go and live on, the others stay as they are', async () => {
    const run = await stopped('openmpi');
    const far = programs('nodeb');
    await hosts.cluster.cut('nodeb');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => isLoss.test(body.output));
    await eventually('the ranks beyond run', () => far.every(runsFree), 40_000);
    assert.equal((await run.local(0, 'rank')).value, '0');
    assert.deepEqual(await statesOf(run), halves('stopped', 'lost'));
    await hosts.cluster.restore('nodeb');
    await isToldFree(run);
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
