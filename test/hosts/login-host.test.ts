/** Ranks on other hosts only: the adapter is on one that the job does not use. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DebugRun } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { allMpis, launchers, samplePath } from '../support/sample-job';
import { isTraced, maxCutMs, runsFree, says, statesOf } from './lost-ranks';
import { Cluster, launcherArgs, type HostedProcess } from './cluster';

describe('a job on hosts without the adapter', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start(['login', 'node1', 'node2', 'node3']);
  });
  after(() => cluster.stop());

  const nothingLeft = (): Promise<void> =>
    eventually('nothing runs on any host', () =>
      cluster.hosts.every(({ name }) => cluster.processes(name).length === 0),
    );

  for (const mpi of allMpis) {
    it(`of ${mpi}: two programs on three of them, stopped and seen as one job`, async () => {
      const program = (name: string): object => ({ program: samplePath(mpi, name), ranks: 3 });
      const run = await DebugRun.launch({
        mpi,
        program: 'variables',
        through: cluster.on('login', []),
        breakpoints: ['variables.c', 'variables.f90'].map((source) => ({ source, marker: 'all variables set' })),
        attributes: {
          program: undefined,
          ranks: undefined,
          programs: [program('variables'), program('variables-f90')],
          launcherArgs: launcherArgs(mpi, 'node1:2,node2:2,node3:2'),
          env: launchers[mpi].env,
        },
      });
      await run.nextStops([0, 1, 2, 3, 4, 5], 'breakpoint');
      const { ranks } = await run.client.request<{ ranks: { host: string }[] }>('mpidbg/ranks');
      const hosts = ranks.map(({ host }) => host);
      assert.deepEqual([...new Set(hosts)].sort(), ['node1', 'node2', 'node3']);
      const tops = await Promise.all([0, 1, 2, 3, 4, 5].map(async (rank) => (await run.topFrame(rank)).source?.name));
      assert.deepEqual(tops, [
        'variables.c',
        'variables.c',
        'variables.c',
        'variables.f90',
        'variables.f90',
        'variables.f90',
      ]);
      await run.close();
      await nothingLeft();
    });
  }

  it('is let go when the adapter is cut off from all of its hosts, and taken up when it is not any more', async () => {
    const run = await DebugRun.launch({
      mpi: 'openmpi',
      program: 'communicators',
      through: cluster.on('login', []),
      breakpoints: [{ source: 'communicators.c', marker: 'all communicators made' }],
      attributes: {
        args: ['--wait'],
        launcherArgs: launcherArgs('openmpi', 'node1:2,node2:2'),
        env: launchers.openmpi.env,
      },
    });
    await run.nextStops([0, 1, 2, 3], 'breakpoint');
    const programs = ['node1', 'node2'].flatMap((name) =>
      cluster.processes(name).filter(({ commandLine }) => /^\S*\/communicators --wait$/.test(commandLine)),
    );
    assert.equal(programs.length, 4);
    await cluster.cut('login');
    await eventually('the ranks run', () => programs.every(({ pid }) => runsFree(pid)), maxCutMs);
    await cluster.restore('login');
    for (const names of ['ranks 0-1 on node1', 'ranks 2-3 on node2']) {
      await says(run, new RegExp(`^${names} are back in the session\\n$`));
    }
    assert.ok(programs.every(({ pid }) => isTraced(pid)));
    await run.close();
    await nothingLeft();
  });

  it('does not end a session that is attached to it while all of its hosts are out of reach', async () => {
    const { command: launcher, env } = launchers.openmpi;
    const [command = '', ...args] = cluster.on('login', [
      ...[launcher, ...launcherArgs('openmpi', 'node1:2,node2:2'), '-n', '4'],
      ...[samplePath('openmpi', 'communicators'), '--wait'],
    ]);
    const job = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    let waiting = 0;
    for await (const line of createInterface({ input: job.stdout }))
      if (line.includes('MPIDBG-WAITING') && ++waiting === 4) break;
    job.stdout.resume();
    const running = (name: string, commandLine: RegExp): HostedProcess[] =>
      cluster.processes(name).filter((each) => commandLine.test(each.commandLine));
    const [{ pidThere: launcherPid, pid }] = running('login', /^mpirun\.openmpi /) as [HostedProcess];
    const programs = ['node1', 'node2'].flatMap((name) => running(name, /^\S*\/communicators --wait$/));
    const run = await DebugRun.open({}, cluster.on('login', []));
    await run.attach({ launcherPid });
    await run.nextStops([0, 1, 2, 3], 'attached');
    await cluster.cut('login');
    // Their hosts may be missed at the same moment.
    for (const names of ['0-[13]', '[02]-3']) await says(run, new RegExp(`^ranks ${names} are out of reach`));
    await eventually('the ranks run', () => programs.every((each) => runsFree(each.pid)), maxCutMs);
    assert.deepEqual(await statesOf(run), ['lost', 'lost', 'lost', 'lost']);
    await cluster.restore('login');
    for (const names of ['ranks 0-1 on node1', 'ranks 2-3 on node2'])
      await says(run, new RegExp(`^${names} are back in the session\\n$`));
    assert.deepEqual(await statesOf(run), ['running', 'running', 'running', 'running']);
    await run.close();
    assert.ok(
      programs.every((each) => runsFree(each.pid)),
      'a rank does not run',
    );
    process.kill(pid, 'SIGTERM');
    await nothingLeft();
  });

  it('says which host has no gdb', async () => {
    const folder = '/var/tmp';
    const gdb = join(folder, `mpidbg-gdb-${process.pid}`);
    // Only the login host sees it.
    const [command = '', ...args] = cluster.on('login', [
      'sh',
      '-c',
      `mount -t tmpfs tmpfs ${folder} && ln -s "$(command -v gdb)" ${gdb}`,
    ]);
    execFileSync(command, args);
    const run = await DebugRun.open({}, cluster.on('login', []));
    await assert.rejects(
      run.launch({
        mpi: 'mpich',
        program: 'ring',
        ranks: 2,
        attributes: { gdb, launcherArgs: launcherArgs('mpich', 'login:1,node2:1') },
      }),
      /gdb cannot be run \(\S+: No such file or directory on node2\)/,
    );
    await run.close();
    await nothingLeft();
  });
});
