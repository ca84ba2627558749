/** The network to a host is lost for so long that its ranks are let go: when it is back, the session takes them up as they are. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from '../dap/debug-run';
import { eventually, processState } from '../support/process-state';
import { allMpis } from '../support/sample-job';
import { isAlone, isTraced, maxCutMs, programsOn, runsFree, says, statesOf } from './lost-ranks';
import type { HostedProcess } from './cluster';
import { allRanks, farRanks, nearRanks, TwoHosts } from './two-hosts';

const isLoss = /gdb of ranks? 4-7 .*mpidbg can no longer tell/;
const isBack = /^ranks 4-7 on nodeb are back in the session\n$/;

describe('ranks on a host that comes back', () => {
  let hosts: TwoHosts;
  beforeEach(async () => {
    hosts = await TwoHosts.start();
  });
  afterEach(() => hosts.stop());

  /** Resolves when the ranks beyond run without a debugger. */
  const cut = async (run: DebugRun, far: readonly number[]): Promise<void> => {
    const since = run.client.events.length;
    await hosts.cluster.cut('nodeb');
    await says(run, isLoss, since);
    await eventually('the ranks beyond run', () => far.every(runsFree), maxCutMs);
  };

  const restore = async (run: DebugRun, expected = isBack): Promise<void> => {
    const since = run.client.events.length;
    await hosts.cluster.restore('nodeb');
    await says(run, expected, since);
  };

  const setFunction = async (run: DebugRun, name: string): Promise<boolean[]> => {
    const { breakpoints } = await run.client.request<DebugProtocol.SetFunctionBreakpointsResponse['body']>(
      'setFunctionBreakpoints',
      { breakpoints: [{ name }] },
    );
    return breakpoints.map(({ verified }) => verified);
  };

  const stand = (run: DebugRun, which: readonly number[]): Promise<void> =>
    eventually(`ranks ${which.join()} stand`, async () => {
      const states = await statesOf(run);
      return which.every((rank) => states[rank] === 'stopped');
    });

  const signalled = async (run: DebugRun, far: readonly number[]): Promise<void> => {
    for (const pid of far) process.kill(pid, 'SIGUSR1');
    await stand(run, farRanks);
    for (const rank of farRanks) assert.equal((await run.local(rank, 'signal_number')).value, '10');
  };

  for (const mpi of allMpis) {
    it(`launched with ${mpi}: they run on, and all that was asked for applies to them; in a session that stands, they stand`, async () => {
      const run = await hosts.launch(
        {
          mpi,
          program: 'communicators',
          breakpoints: [{ source: 'communicators.c', marker: 'all communicators made' }],
          attributes: { args: ['--wait'] },
        },
        {},
        // Without that, SIGUSR1 stops a rank.
        (client) => client.request('setExceptionBreakpoints', { filters: [] }),
      );
      await run.nextStops(allRanks, 'breakpoint');
      const before = await run.threads();
      const [near, far] = [programsOn(hosts, 'nodea', 'communicators'), programsOn(hosts, 'nodeb', 'communicators')];
      await run.client.request('continue', { threadId: before[0]!.id });
      await eventually('all ranks wait', () => run.printed('MPIDBG-WAITING') === allRanks.length);

      await cut(run, far);
      assert.deepEqual(await statesOf(run), [...nearRanks.map(() => 'running'), ...farRanks.map(() => 'lost')]);
      assert.deepEqual(await setFunction(run, 'truth_on_signal'), [true]);
      await restore(run);
      assert.deepEqual(
        await statesOf(run),
        allRanks.map(() => 'running'),
      );
      assert.ok(far.every(isTraced));
      await signalled(run, far);
      assert.deepEqual(await run.threads(), before);

      await run.client.request('pause', { threadId: await run.threadOf(0) });
      await stand(run, allRanks);
      await cut(run, far);
      await restore(run);
      await stand(run, allRanks);
      assert.deepEqual(await run.threads(), before);
      for (const rank of farRanks) {
        const { id } = await run.topFrame(rank);
        assert.equal((await run.evaluate('truth_rank', 'watch', id)).result, String(rank));
      }
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await eventually('all run', async () => (await statesOf(run)).every((state) => state === 'running'));
      for (const pid of near) process.kill(pid, 'SIGUSR1');
      await stand(run, nearRanks);
      await run.close();
      await hosts.isQuiet();
    }).timeout(400_000);
  }

  it('attached to: those that ended meanwhile, and one that another debugger has, are named', async () => {
    const { launcherPid } = await hosts.startWaiting('openmpi', 'lifecycle', undefined, 'after-finalize');
    const run = await DebugRun.open({}, hosts.cluster.on('nodea', []));
    await run.attach({ launcherPid });
    await run.nextStops(allRanks, 'attached');
    const before = await run.threads();
    await run.client.request('continue', { threadId: before[0]!.id });
    const processes = hosts.running('nodeb', /^\S*\/lifecycle /);
    const processOf = (rank: number): HostedProcess =>
      processes.find(({ environment }) => environment.includes(`OMPI_COMM_WORLD_RANK=${rank}`))!;
    const [four, five, six, seven] = farRanks.map(processOf) as [
      HostedProcess,
      HostedProcess,
      HostedProcess,
      HostedProcess,
    ];
    await cut(
      run,
      farRanks.map((rank) => processOf(rank).pid),
    );

    for (const { pid } of [five, six]) process.kill(pid, 'SIGUSR1');
    await eventually('their ends', () => [five, six].every(({ pid }) => !existsSync(`/proc/${pid}`)));
    // Another process gets the process id of rank 6.
    const fork = `echo ${six.pidThere - 1} > /proc/sys/kernel/ns_last_pid; sleep 1000 > /dev/null 2>&1 & echo $!`;
    assert.equal((await hosts.run('nodeb', ['sh', '-c', fork])).trim(), String(six.pidThere));
    const [command = '', ...args] = hosts.cluster.on('nodeb', ['gdb', '-nx', '-q', '-p', String(seven.pidThere)]);
    const other = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    await eventually('the other debugger has rank 7', () => processState(seven.pid) === 't');

    const since = run.client.events.length;
    await restore(run, /^rank 4 on nodeb is back in the session\n$/);
    for (const rank of [5, 6])
      await says(run, new RegExp(`^rank ${rank} ended while the host was out of reach\n$`), since);
    const refusal = `process ${seven.pidThere} \\(lifecycle\\) is already being traced by process \\d+ \\(gdb\\)`;
    await says(run, new RegExp(`^rank 7 on nodeb is not back in the session: ${refusal}`), since);
    assert.deepEqual((await statesOf(run)).slice(4), ['running', 'exited', 'exited', 'lost']);
    assert.ok(isTraced(four.pid));

    other.stdin.end();
    await says(run, /^rank 7 on nodeb is back in the session\n$/, since);
    await eventually('it runs', async () => (await statesOf(run))[7] === 'running');
    await run.client.request('pause', { threadId: await run.threadOf(7) });
    await stand(run, [...nearRanks, 4, 7]);
    assert.deepEqual(
      await run.threads(),
      before.filter(({ name }) => !/^rank [56]\b/.test(name)),
    );
    await run.close();
    await isAlone(hosts);
    assert.ok([four, seven].every(({ pid }) => runsFree(pid)));
  }).timeout(200_000);
});
