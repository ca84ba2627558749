/** mpidbg/ompt: OpenMP's threads while the ranks run, and at a stop. */
import assert from 'node:assert/strict';
import type { Ompt } from '../../plugin-api/overlays/ompt-records';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { eventually } from '../support/process-state';
import { markerLine } from '../support/sample-job';
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
});
