/** Ranks on other hosts only: the adapter is on one that the job does not use. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from '../dap/debug-run';
import { eventually, hasEnded, processState, tracerOf } from '../support/process-state';
import { allMpis, launchers, samplePath } from '../support/sample-job';
import { Cluster, launcherArgs } from './cluster';

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

  it('is let go when the adapter is cut off from all of its hosts, and told of when it is not any more', async () => {
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
    await eventually(
      'the ranks run',
      () => programs.every(({ pid }) => !hasEnded(pid) && tracerOf(pid) === 0 && processState(pid) !== 'T'),
      60_000,
    );
    await cluster.restore('login');
    for (const names of ['ranks 0-1 on node1', 'ranks 2-3 on node2']) {
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
        body.output.includes(`${names}: they run without a debugger now`),
      );
    }
    await run.close();
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
