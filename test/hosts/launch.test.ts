/** A launch whose ranks are on two hosts, debugged from one of them: everything is as it is at home. */
import assert from 'node:assert/strict';
import { DebugRun } from '../dap/debug-run';
import { eventually } from '../support/process-state';
import { allMpis, launchers, type Mpi } from '../support/sample-job';
import { Cluster, environment, launcherArgs } from './cluster';

const all = [0, 1, 2, 3, 4, 5, 6, 7];

describe('a job on two hosts', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start(['nodea', 'nodeb']);
  });
  after(() => cluster.stop());

  function options(mpi: Mpi, program: string): Parameters<typeof DebugRun.launch>[0] {
    return {
      mpi,
      program,
      ranks: 8,
      attributes: {
        launcherArgs: launcherArgs(mpi, 'nodea:4,nodeb:4'),
        env: { ...launchers[mpi].env, ...environment },
      },
      through: cluster.on('nodea', []),
    };
  }

  /** Nothing of a session is left on any host. */
  async function nothingLeft(): Promise<void> {
    for (const { name } of cluster.hosts)
      await eventually(`nothing runs on ${name}`, () => cluster.processes(name).length === 0);
  }

  for (const mpi of allMpis) {
    it(`of ${mpi} stops at a breakpoint in all ranks, steps, and ends`, async () => {
      const run = await DebugRun.launch({
        ...options(mpi, 'communicators'),
        breakpoints: [{ source: 'communicators.c', marker: 'all communicators made' }],
      });
      await run.nextStops(all, 'breakpoint');
      await run.close();
      await nothingLeft();
    });
  }
});
