/** What a client tells of itself with initialize decides what it is told. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { eitherMpi, launchers, SampleJob, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

const tokenArrived = { source: 'ring.c', marker: 'token arrived' };

function progressOf(run: DebugRun): string[] {
  return run.client.events
    .filter(({ event }) => event.startsWith('progress'))
    .map(({ event, body }) => {
      const { message, percentage, cancellable } = body as {
        message?: string;
        percentage?: number;
        cancellable?: true;
      };
      return [event, message, percentage, cancellable].filter((each) => each !== undefined).join(' ');
    });
}

const threeRanks = [
  'progressStart true',
  'progressUpdate 1 of 3 ranks held 33',
  'progressUpdate 2 of 3 ranks held 67',
  'progressUpdate 3 of 3 ranks held 100',
  'progressEnd',
];

for (const mpi of eitherMpi('abilities')) {
  describe(`progress with ${mpi}`, () => {
    it('counts the ranks of a launch, and of an attach', async () => {
      const run = await DebugRun.open({ supportsProgressReporting: true });
      await run.launch({ mpi, program: 'ring', ranks: 3, breakpoints: [tokenArrived] });
      await run.nextStop();
      assert.deepEqual(progressOf(run), threeRanks);
      await run.close();

      const job = await SampleJob.startWaiting(mpi, 'communicators', { ranks: 3 });
      try {
        const attached = await DebugRun.open({ supportsProgressReporting: true });
        await attached.client.request('attach', { launcherPid: job.launcherPid });
        assert.deepEqual(progressOf(attached), threeRanks);
        await attached.close();
        await job.finish();
      } finally {
        await job.kill();
      }
    });

    it('counts the ranks that are searched for NaN', async () => {
      const run = await DebugRun.open({ supportsProgressReporting: true });
      await run.launch({ mpi, program: 'ring', ranks: 3, breakpoints: [tokenArrived] });
      await run.nextStop();
      const before = progressOf(run).length;
      await run.client.request('mpidbg/nan', { ranks: '0-2' });
      assert.deepEqual(
        progressOf(run).slice(before),
        threeRanks.map((each) => each.replace('held', 'searched')),
      );
      await run.close();
    });

    it('that the user cancels gives up the start, and leaves nothing', async () => {
      const run = await DebugRun.open({ supportsProgressReporting: true });
      const { command, env } = launchers[mpi];
      const configuration = { program: samplePath(mpi, 'ring'), ranks: 4, launcher: command, env };
      const refused = assert.rejects(run.client.request('launch', configuration), /the start was cancelled/);
      const { body } = await run.client.waitFor<DebugProtocol.ProgressStartEvent>('progressStart');
      await run.client.waitFor('output');
      await run.client.request('cancel', { progressId: body.progressId });
      await refused;
      await run.terminated();
      assert.equal(progressOf(run).at(-1), 'progressEnd');
      assert.deepEqual(
        run.processes().filter(({ pid }) => pid !== run.adapter.pid),
        [],
      );
      await run.close();
    });
  });
}

describe('a client that knows neither progress nor invalidated', () => {
  it('is told of neither', async () => {
    const run = await DebugRun.open({ supportsInvalidatedEvent: false });
    await run.launch({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [tokenArrived] });
    await run.nextStop();
    const frameId = (await run.topFrame(1)).id;
    await run.client.request('setExpression', { frameId, expression: 'token', value: '5' });
    assert.equal((await run.local(1, 'token')).value, '5');
    const events = new Set(run.client.events.map(({ event }) => event));
    assert.ok(
      ![...events].some((event) => event === 'invalidated' || event.startsWith('progress')),
      [...events].join(),
    );
    await run.close();
  });
});

describe('continued', () => {
  it('names the first thread of a rank for all, or the first of each rank among others', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'openmpi',
      program: 'ring',
      ranks: 2,
      breakpoints: [tokenArrived],
    });
    const since = run.client.events.length;
    await run.client.request('next', { threadId: stop.threadId });
    await run.nextStops([0, 1], 'step');
    const first = [await run.threadOf(0), await run.threadOf(1)];
    const told = run.client.events
      .slice(since)
      .filter((event): event is DebugProtocol.ContinuedEvent => event.event === 'continued');
    const forAll = told.filter(({ body }) => body.allThreadsContinued);
    const named = (forAll.length > 0 ? forAll : told).map(({ body }) => body.threadId);
    // A rank that stops again before it is told of was not seen to run: then its threads are not among them.
    if (forAll.length > 0)
      assert.ok(
        named.every((id) => first.includes(id)),
        JSON.stringify(told),
      );
    else
      assert.ok(
        first.some((id) => named.includes(id)),
        JSON.stringify(told),
      );
    await run.close();
  });
});
