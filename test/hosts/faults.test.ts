/** What dies, or is cut off, in a job on two hosts: no rank stays frozen, and nothing stays behind. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { DebugRun } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { allMpis, type Mpi } from '../support/sample-job';
import { maxCutMs, programsOn, runsFree, says, statesOf } from './lost-ranks';
import { allRanks, farRanks, ranks, TwoHosts } from './two-hosts';

/** What all ranks of the first host are, and all of the other. */
const halves = <What>(near: What, far: What): What[] => allRanks.map((rank) => (rank < ranks / 2 ? near : far));

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

    it(`a gdb of a host, killed: its ranks of ${mpi} run on without it, the others stay as they are`, async () => {
      const run = await stopped(mpi);
      const far = programsOn(hosts, 'nodeb', 'ring');
      const [gdb] = hosts.running('nodeb', /^gdb /);
      process.kill(gdb!.pid, 'SIGKILL');
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
        /gdb of ranks? 4-7 was killed by SIGKILL on nodeb/.test(body.output),
      );
      await eventually('the ranks beyond run', () => far.every(runsFree));
      await says(run, /ranks 4-7 on nodeb: they run without a debugger now, and can be attached to/);
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

  it('the network, and a guardian before it: the ranks beyond are let go all the same, and come back', async () => {
    const run = await stopped('mpich');
    const far = programsOn(hosts, 'nodeb', 'ring');
    const [guardian] = hosts.running('nodeb', /^mpidbg: guardian/);
    process.kill(guardian!.pid, 'SIGKILL');
    await hosts.cluster.cut('nodeb');
    await says(run, /gdb of ranks? 4-7 .*mpidbg can no longer tell/);
    await eventually('the ranks beyond run', () => far.every(runsFree), maxCutMs);
    assert.equal((await run.local(0, 'rank')).value, '0');
    assert.deepEqual(await statesOf(run), halves('stopped', 'lost'));
    await hosts.cluster.restore('nodeb');
    await says(run, /^ranks 4-7 on nodeb are back in the session\n$/);
    // The agent and the new guardians take the end of the debugger for what it is.
    const [adapter] = hosts.running('nodea', /dist\/adapter\.js$/);
    process.kill(adapter!.pid, 'SIGKILL');
    await hosts.isQuiet();
  });
});
