/** mpidbg/ompt: OpenMP's threads while the ranks run, and at a stop. */
import assert from 'node:assert/strict';
import type { Ompt } from '../../plugin-api/overlays/ompt-records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { eventually } from '../support/process-state';
import { markerLine } from '../support/sample-job';
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import { DebugRun } from './debug-run';

describe('mpidbg/ompt', () => {
  let run: DebugRun;
  before(async () => {
    const attributes = { args: ['--wait'], collector: { libomp: 'libomp.so.5', calls: false } };
    run = await DebugRun.launch({ mpi: 'openmpi', program: 'openmp', ranks: 2, attributes });
  });
  after(() => run.close());

  const ofRank = async (rank: string): Promise<Ompt | undefined> => {
    const { ranks }: OverlayDocument = await run.client.request('mpidbg/ompt', { ranks: rank, last: 5 });
    const [told] = ranks;
    return told === undefined || !('ompt' in told) || isUnavailable(told.ompt) ? undefined : told.ompt;
  };
  const waiting = (ompt: Ompt | undefined): string[] =>
    (ompt?.threads ?? []).flatMap(({ waitsFor }) => (waitsFor === undefined ? [] : [waitsFor.kind])).sort();

  it('tells what threads wait for and hold while the ranks run', async () => {
    await eventually('two threads wait', async () => waiting(await ofRank('1')).length === 2);
    const ompt = await ofRank('1');
    assert.deepEqual(waiting(ompt), ['barrier', 'lock']);
    const held = ompt!.threads.flatMap(({ holds }) => holds);
    assert.deepEqual(
      held.map(({ kind, code }) => [kind, code?.line]),
      [['lock', markerLine('openmp.c', 'lock taken')]],
    );
    assert.equal(ompt!.records.length, 5);
  });

  it('tells the same at a stop', async () => {
    await eventually('two threads wait', async () => waiting(await ofRank('0')).length === 2);
    const before = await ofRank('0');
    const { threads } = await run.client.request<{ threads: { id: number; name: string }[] }>('threads', {});
    const stop = run.nextStop();
    await run.client.request('pause', { threadId: threads[0]!.id });
    await stop;
    assert.deepEqual((await ofRank('0'))?.threads, before?.threads);
  });

  it('is one line with the MPI call, of the rank and of each thread', async () => {
    const doing = ['OpenMP 0 working', 'OpenMP 1 working', 'OpenMP 2 waiting for the lock of 1'];
    const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks', { places: true });
    assert.equal(ranks[0]?.place, 'MPI_Recv');
    assert.equal(ranks[0].openmp, 'OpenMP: 0-1 working, 2 waiting for the lock of 1, 3 waiting in the barrier for 0-2');
    const { threads } = await run.client.request<{ threads: { name: string }[] }>('threads', {});
    const told = threads.flatMap(({ name }) => (name.startsWith('rank 0') && name.includes('OpenMP') ? [name] : []));
    assert.deepEqual(
      told.map((name) => name.replace(/ thread \d+ ·/, '')).sort(),
      ['MPI_Recv · OpenMP 0 working', ...doing.slice(1), 'OpenMP 3 waiting in the barrier for 0-2'].map(
        (words) => `rank 0 · ${words}`,
      ),
    );
  });
});
