/** Breakpoints that are set while every rank runs: they are there at once, not only after the next stop. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { eitherMpi, markerLine, type Mpi, SampleJob } from '../support/sample-job';
import { areWatched } from '../support/watchpoints';
import { DebugRun } from './debug-run';

const stillBusy = { source: 'hang.c', marker: 'still busy' };
type Answer = { breakpoints: DebugProtocol.Breakpoint[] };

/** Rank 1 is in a loop, the others wait for it in MPI_Barrier. */
async function hanging(mpi: Mpi, attributes: object = {}): Promise<DebugRun> {
  const run = await DebugRun.launch({ mpi, program: 'hang', ranks: 3, attributes });
  await run.client.waitFor('output', ({ body }) => (body as { output: string }).output.includes('rank 1 hangs'));
  assert.equal(run.stops, 0);
  return run;
}

for (const mpi of eitherMpi('set while running')) {
  describe(`breakpoints set while all ranks of ${mpi} run`, () => {
    it('stop the ranks that come by, without a pause', async () => {
      const run = await hanging(mpi);
      const [breakpoint] = await run.setBreakpoints('hang.c', [
        { ...stillBusy, condition: '$rank == 1 && rounds > 0' },
      ]);
      assert.deepEqual([breakpoint?.verified, breakpoint?.line], [true, markerLine('hang.c', 'still busy')]);
      const stop = await run.nextStop();
      assert.deepEqual([stop.description, stop.hitBreakpointIds], ['rank 1: breakpoint', [breakpoint?.id]]);
      assert.ok(Number((await run.local(1, 'rounds')).value) > 0);
      assert.equal(run.stops, 1);
      await run.close();
    });

    it('on a function of a library, whose symbols nobody has needed so far', async () => {
      const run = await hanging(mpi, { breakpointRanks: '1-2' });
      const since = run.client.events.length;
      const { breakpoints } = await run.client.request<Answer>('setFunctionBreakpoints', {
        breakpoints: [{ name: 'usleep' }],
      });
      const stop = await run.nextStop();
      assert.deepEqual([stop.reason, stop.description], ['function breakpoint', 'rank 1: breakpoint']);
      assert.deepEqual(stop.hitBreakpointIds, [breakpoints[0]?.id]);
      const told = run.client.events
        .filter(({ event }) => event === 'breakpoint')
        .at(-1) as DebugProtocol.BreakpointEvent;
      assert.ok(breakpoints[0]?.verified === true || told.body.breakpoint.verified);
      assert.equal((await run.frames(await run.threadOf(1)))[1]?.name, 'do_something_else');
      // The moment in which the symbols were read is nobody's stop.
      assert.equal(run.stops, 1);
      assert.equal(run.client.events.slice(since).filter(({ event }) => event === 'continued').length, 0);
      await run.close();
    });

    it('of an attached job, for the ranks that breakpointRanks names', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators');
      try {
        const run = await DebugRun.open();
        await run.client.request('attach', { launcherPid: job.launcherPid, breakpointRanks: '1,3' });
        // The signal that lets the ranks go on.
        await run.client.request('setExceptionBreakpoints', { filters: [] });
        await run.client.request('configurationDone');
        await run.nextStop();
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        const { breakpoints } = await run.client.request<Answer>('setFunctionBreakpoints', {
          breakpoints: [{ name: 'MPI_Finalize' }],
        });
        assert.equal(breakpoints[0]?.verified, true, breakpoints[0]?.message);
        const finished = job.finish();
        const stopped = new Set([(await run.nextStop()).threadId]);
        while (stopped.size < 2) stopped.add((await run.nextStop()).threadId);
        assert.deepEqual(stopped, new Set([await run.threadOf(1), await run.threadOf(3)]));
        await run.client.request('continue', { threadId: await run.threadOf(1) });
        await finished;
        await run.terminated();
        await run.close();
      } finally {
        await job.kill();
      }
    });
  });
}

describe('a breakpoint set while all ranks run', () => {
  it('in code that is loaded only later binds when it is', async () => {
    const run = await DebugRun.open();
    const options = { mpi: 'openmpi', program: 'dlopened', ranks: 2 } as const;
    await run.launch(options, () => run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'main' }] }));
    const { threadId } = await run.nextStop();
    // The ranks run from the next request on.
    await run.client.request('continue', { threadId });
    const [breakpoint] = await run.setBreakpoints('dlopened-part.c', [
      { source: 'dlopened-part.c', marker: 'all communicators made' },
    ]);
    const stop = await run.nextStop();
    assert.deepEqual([stop.reason, stop.hitBreakpointIds], ['breakpoint', [breakpoint?.id]]);
    await run.close();
  });

  it('or removed then, of any sort, leaves them running', async () => {
    const run = await hanging('mpich');
    const [breakpoint] = await run.setBreakpoints('hang.c', [{ ...stillBusy, logMessage: 'round {rounds}' }]);
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => /^\[1\] round \d+$/m.test(body.output));
    await run.setBreakpoints('hang.c', []);
    assert.equal(breakpoint?.verified, true);
    await run.client.request('pause', { threadId: await run.threadOf(1) });
    const stop = await run.nextStop();
    assert.equal(stop.reason, 'pause');
    const frame = (await run.frames(await run.threadOf(1))).find(({ name }) => name === 'do_something_else');
    const info = await run.client.request<{ dataId: string }>('dataBreakpointInfo', {
      frameId: frame?.id,
      name: 'rounds',
    });
    await run.client.request('continue', { threadId: await run.threadOf(1) });
    const { breakpoints } = await run.client.request<Answer>('setDataBreakpoints', {
      breakpoints: [{ dataId: info.dataId, accessType: 'write' }],
    });
    if (!areWatched(breakpoints)) return run.close();
    const changed = await run.nextStop();
    assert.deepEqual([changed.reason, changed.hitBreakpointIds], ['data breakpoint', [breakpoints[0]?.id]]);
    await run.close();
  });
});
