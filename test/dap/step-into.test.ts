import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { markerLine, type Mpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

const source = 'callbacks.cpp';
const ranks = [0, 1];

/** Where both ranks are after a step into the line of this marker: "twice(int):18". */
async function stepFrom(run: DebugRun, marker: string, args: object = {}): Promise<string> {
  await run.setBreakpoints(source, [{ source, marker }]);
  await run.client.request('continue', { threadId: await run.threadOf(0) });
  await run.nextStops(ranks, 'breakpoint');
  await run.setBreakpoints(source, []);
  await run.client.request('stepIn', { threadId: await run.threadOf(0), ...args });
  await run.nextStops(ranks, 'step');
  const tops = await Promise.all(ranks.map((rank) => run.topFrame(rank)));
  const [first, second] = tops.map(({ source: of, line }) => `${basename(of?.path ?? '')}:${line}`);
  assert.equal(first, second);
  return first ?? '';
}

/** Rank 0 steps over the barrier, at which both are, and is told to wait; then rank 1 goes on. */
async function stepAloneOverBarrier(run: DebugRun): Promise<void> {
  await run.setBreakpoints(source, [{ source, marker: 'together' }]);
  const threadId = await run.threadOf(0);
  await run.client.request('continue', { threadId });
  await run.nextStops(ranks, 'breakpoint');
  const waits = run.client.waitFor<DebugProtocol.Event>('mpidbg/stepWaits');
  await run.client.request('next', { threadId, ranks: '0' });
  const line = markerLine(source, 'together');
  assert.deepEqual((await waits).body, {
    text: `The step of rank 0 over MPI_Barrier (${source}:${line}) has not ended, and rank 1 stands still: it may wait for it.`,
    ranks: '0',
    others: '1',
  });
  await run.client.request('continue', { threadId: await run.threadOf(1), ranks: '1' });
  await run.nextStops([0], 'step');
  assert.equal((await run.topFrame(0)).line, line + 1);
}

function at(marker: string): string {
  return `${source}:${markerLine(source, marker)}`;
}

describe('stepping into code', () => {
  for (const mpi of ['openmpi', 'mpich'] satisfies Mpi[])
    it(`of others stops where it calls the program back (${mpi})`, async () => {
      const run = await DebugRun.launch({ mpi, program: 'callbacks', ranks: 2, attributes: { stopOnEntry: true } });
      await run.nextStops(ranks, 'entry');
      const nothing = markerLine(source, 'nothing of the program is called');
      assert.equal(await stepFrom(run, 'nothing of the program is called'), `${source}:${nothing + 4}`);
      assert.equal(await stepFrom(run, 'sort'), at('in lambda'));
      assert.equal(await stepFrom(run, 'each'), at('in each'));
      assert.equal(await stepFrom(run, 'function'), at('in twice'));
      assert.equal(await stepFrom(run, 'visit'), at('in visitor'));
      assert.equal(await stepFrom(run, 'bind'), at('in member'));
      assert.equal(await stepFrom(run, 'qsort'), at('in compare'));
      assert.equal(await stepFrom(run, 'emplace'), at('in constructor'));
      assert.equal(await stepFrom(run, 'direct'), at('in twice'));
      assert.equal(await stepFrom(run, 'parallel'), at('in region'));
      await stepAloneOverBarrier(run);
      await run.close();
    });

  it('that is skipped, when it is asked for', async () => {
    const run = await DebugRun.launch({
      ...{ mpi: 'mpich', program: 'callbacks', ranks: 2 },
      attributes: { stopOnEntry: true, skip: ['**/include/c++/**', 'twice'] },
    });
    await run.nextStops(ranks, 'entry');
    assert.match(await stepFrom(run, 'nothing of the program is called', { anyway: true }), /^stl_vector\.h:/);
    const direct = markerLine(source, 'direct');
    assert.equal(await stepFrom(run, 'direct'), `${source}:${direct + 1}`);
    await run.close();
  });
});
