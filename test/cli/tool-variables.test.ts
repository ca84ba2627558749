/** mpidbg run, pvars and cvars, against what the program reads by MPI_T itself. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { loadPlugins } from '../../adapter/query/load-plugin';
import { overlayDocument } from '../../adapter/query/overlays/overlay-document';
import { seeRanks } from '../../adapter/query/overlays/seen-ranks';
import type { Cvar, OverlayDocument, Pvar, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { CoreFolder } from '../support/core-files';
import { eventually, processState, tracerOf } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { allMpis, SampleJob, type Mpi } from '../support/sample-job';

/** A line of tool-variables.c. */
interface Told {
  rank: number;
  pvars: { name: string; object?: string; values: number[] }[];
  cvars: { name: string; value: number[] | string }[];
}

async function startCollected(mpi: Mpi): Promise<SampleJob> {
  const { stdout } = await runCli(['collector']);
  const through = [...stdout.trim().split(' '), 'OMPI_MCA_osc=rdma'];
  return SampleJob.startWaiting(mpi, 'tool-variables', { ranks: 2, through });
}

function toldBy(job: SampleJob): Told[] {
  const prefix = 'MPI_T ';
  const lines = job.printed.filter((line) => line.startsWith(prefix));
  return lines.map((line) => JSON.parse(line.slice(prefix.length)) as Told);
}

async function ask(part: 'pvars' | 'cvars', job: SampleJob): Promise<RankOverlay[]> {
  const { stdout, stderr, status } = await runCli([part, '--launcher', String(job.launcherPid), '--json']);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as OverlayDocument).ranks.filter((rank): rank is RankOverlay => 'collector' in rank);
}

function pvarsOf({ pvars }: RankOverlay): Pvar[] {
  assert.ok(pvars !== undefined && !isUnavailable(pvars));
  return pvars;
}

/** What the collector has for the variables that the program tells. */
function valuesOfTold(ranks: readonly RankOverlay[], { rank, pvars }: Told): unknown[] {
  const all = pvarsOf(ranks[rank]!);
  return pvars.map(({ name, object }) => {
    const instances = all.find((pvar) => pvar.name === name)?.instances;
    const values = instances?.find((instance) => instance.object?.handle === object)?.values;
    return object === undefined ? { name, values } : { name, object, values };
  });
}

function valuesOf(rank: RankOverlay): unknown[] {
  return pvarsOf(rank).map(({ name, instances }) => [name, instances.map(({ object, values }) => [object, values])]);
}

function cvarsOf({ cvars }: RankOverlay): Cvar[] {
  assert.ok(cvars !== undefined && !isUnavailable(cvars));
  return cvars;
}

for (const mpi of allMpis) {
  describe(`the variables of ${mpi}`, () => {
    let job: SampleJob;
    before(async () => (job = await startCollected(mpi)));
    after(() => job.finish());

    it('have the values that MPI_T gives the program, and no rank is held', async () => {
      const ranks = await ask('pvars', job);
      for (const pid of job.pids) assert.match(processState(pid) ?? '', /[RS]/);
      assert.deepEqual(job.pids.map(tracerOf), [0, 0]);
      for (const told of toldBy(job)) {
        const pvars = pvarsOf(ranks[told.rank]!);
        assert.deepEqual(valuesOfTold(ranks, told), told.pvars, `rank ${told.rank}`);
        assert.equal(told.pvars.length > 0, mpi === 'openmpi', 'Debian configures MPICH without such variables');
        const bound = pvars.flatMap(({ name, instances }) =>
          name.startsWith('pml_ob1_') ? instances.map(({ object }) => object?.name) : [],
        );
        assert.ok(!bound.includes('strait'), 'an intercommunicator');
        const ofWindows = pvars.find(({ name }) => name === 'osc_rdma_put_retry_count')?.instances;
        const windows = ofWindows?.map(({ object, objectFreed }) => [object?.kind, object?.name, objectFreed]);
        const made = [
          ['win', 'tide', undefined],
          ['win', undefined, true],
        ];
        assert.deepEqual(windows, mpi === 'openmpi' ? made : undefined);
        assert.equal(
          told.pvars.some(({ name }) => name === 'osc_rdma_put_retry_count'),
          mpi === 'openmpi',
        );
      }
    });

    it('have their last values in core files', async () => {
      const folder = new CoreFolder();
      try {
        const cores = await folder.gcore(job.pids);
        const { stdout, stderr, status } = await runCli(['pvars', '--core', ...cores, '--json']);
        assert.equal(status, 0, stderr);
        const { target, ranks } = JSON.parse(stdout) as OverlayDocument;
        assert.equal(target, 'core');
        const live = await ask('pvars', job);
        assert.deepEqual(
          ranks.map((rank) => valuesOf(rank as RankOverlay)),
          live.map(valuesOf),
        );
      } finally {
        folder.remove();
      }
    });

    it('have the settings that the program reads', async () => {
      const ranks = await ask('cvars', job);
      for (const told of toldBy(job)) {
        const values = new Map(cvarsOf(ranks[told.rank]!).map(({ name, value }) => [name, value]));
        assert.ok(told.cvars.length > 5);
        for (const { name, value } of told.cvars) {
          const read = values.get(name);
          // What Open MPI 5 and 6 answer for it is of no variable.
          if (name === 'mpi_ft_verbose' && isUnavailable(read)) assert.match(read.reason, /uses for something else/);
          else assert.deepEqual(read, value, name);
        }
      }
    });

    it('can be read after the ranks were killed, by who holds their regions', async () => {
      const killed = await startCollected(mpi);
      const { signal } = new AbortController();
      const target = { kind: 'pids', pids: killed.pids } as const;
      const seen = await seeRanks(target, { plugins: loadPlugins([]), ranks: undefined, gdb: undefined, signal });
      try {
        const read = async (): Promise<RankOverlay[]> => {
          const { ranks } = await overlayDocument('live', seen.ranks, { part: 'pvars', patterns: [] });
          return ranks as RankOverlay[];
        };
        const told = toldBy(killed);
        await eventually('the collectors have looked', async () => {
          const ranks = await read();
          return told.every((each) => isDeepStrictEqual(valuesOfTold(ranks, each), each.pvars));
        });
        for (const pid of killed.pids) process.kill(pid, 'SIGKILL');
        await eventually('no rank is left', () => killed.pids.every((pid) => processState(pid) === undefined));
        const ranks = await read();
        for (const each of told) assert.deepEqual(valuesOfTold(ranks, each), each.pvars);
        assert.ok(seen.ranks.every(({ lasting }) => lasting?.outlives));
      } finally {
        await seen.end();
        await killed.kill();
      }
    });
  });
}

describe('a job without the collector', () => {
  let job: SampleJob;
  before(async () => (job = await SampleJob.startWaiting('openmpi', 'tool-variables', { ranks: 2 })));
  after(() => job.finish());

  it('has queue lengths in core files all the same', async () => {
    const folder = new CoreFolder();
    try {
      const { stdout, status } = await runCli(['pvars', '--core', ...(await folder.gcore(job.pids)), '--json']);
      assert.equal(status, 0);
      const ranks = (JSON.parse(stdout) as OverlayDocument).ranks as RankOverlay[];
      for (const told of toldBy(job))
        for (const { name, object, values } of told.pvars.filter((one) => one.name.startsWith('pml_ob1'))) {
          const pvar = pvarsOf(ranks[told.rank]!).find((one) => one.name === name);
          assert.equal(pvar?.origin, 'memory');
          assert.deepEqual(pvar.instances.find((one) => one.object?.handle === object)?.values, values, name);
        }
    } finally {
      folder.remove();
    }
  });

  it('says how to get one', async () => {
    const { stdout, status } = await runCli(['pvars', '--launcher', String(job.launcherPid)]);
    assert.match(stdout, /0-1 +the program was started without the collector: start the job with mpidbg run/);
    assert.equal(status, 1);
  });
});
