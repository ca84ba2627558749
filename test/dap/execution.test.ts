import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { markerLine } from '../support/sample-job';
import { DebugRun } from './debug-run';

const tokenArrived = { source: 'ring.c', marker: 'token arrived' };
const busy = { source: 'hang.c', marker: 'still busy' };
const line = markerLine('ring.c', 'token arrived');

async function linesOf(run: DebugRun): Promise<number[]> {
  const lines: number[] = [];
  for (const rank of [0, 1, 2, 3]) lines.push((await run.topFrame(rank)).line);
  return lines;
}

describe('running and stopping', () => {
  it('steps every rank', async () => {
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', breakpoints: [tokenArrived] });
    const thread = await run.threadOf(2);
    await run.client.request('next', { threadId: thread });
    const step = await run.nextStops([0, 1, 2, 3], 'step');
    assert.equal(step.reason, 'step');
    assert.equal(step.allThreadsStopped, true);
    if (run.stops === 2) assert.equal(step.threadId, thread, 'the thread that the user steps stays in view');
    assert.ok((await linesOf(run)).every((each) => each !== line));
    assert.notEqual(stop.threadId, undefined);
    await run.close();
  });

  it('answers before it tells what the command led to', async () => {
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', breakpoints: [tokenArrived] });
    const before = run.stops;
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(run.stops, before);
    const next = await run.nextStop();
    assert.equal(next.reason, 'breakpoint');
    assert.equal((await run.local(0, 'lap')).value, '2');
    await run.close();
  });

  it('with singleThread moves that rank alone', async () => {
    const { run } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const thread = await run.threadOf(1);
    const start = await linesOf(run);
    const since = run.client.events.length;
    await run.client.request('next', { threadId: thread, singleThread: true });
    const step = await run.nextStop();
    assert.equal(step.threadId, thread);
    assert.equal(step.description, 'rank 1: step');
    assert.equal(step.allThreadsStopped, true, 'the others never ran');
    const now = await linesOf(run);
    assert.deepEqual(
      now.map((each, rank) => each === start[rank]),
      [true, false, true, true],
    );
    const continued = run.client.events.slice(since).filter(({ event }) => event === 'continued');
    assert.ok(continued.every(({ body }) => !(body as { allThreadsContinued?: boolean }).allThreadsContinued));
    await run.close();
  });

  it('acts on the focus only', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
      attributes: { focus: '0-1' },
    });
    const start = await linesOf(run);
    const answer = await run.client.request<DebugProtocol.ContinueResponse['body']>('next', {
      threadId: stop.threadId,
    });
    assert.equal(answer?.allThreadsContinued, undefined);
    await run.nextStops([0, 1], 'step');
    const now = await linesOf(run);
    assert.deepEqual(
      now.map((each, rank) => each === start[rank]),
      [false, false, true, true],
    );
    assert.equal((await run.evaluate('rank', 'repl')).result, '0: 0\n1: 1');
    await run.close();
  });

  it('pauses ranks that wait in MPI and ranks that compute, and shows where each is', async () => {
    const run = await DebugRun.launch({ mpi: 'mpich', program: 'hang', attributes: { args: ['1'] } });
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => body.output.includes('rank 1 hangs'));
    await run.client.request('pause', { threadId: await run.threadOf(0) });
    const stop = await run.nextStop();
    assert.equal(stop.reason, 'pause');
    assert.equal(stop.description, 'ranks 0-3: paused');
    assert.equal(stop.allThreadsStopped, true);
    const waiting = (await run.frames(await run.threadOf(0))).map(({ name }) => name);
    assert.ok(waiting.includes('main'), waiting.join(' < '));
    assert.ok(
      waiting.some((name) => /MPI_Barrier/.test(name)),
      waiting.join(' < '),
    );
    const hanging = (await run.frames(await run.threadOf(1))).map(({ name }) => name);
    assert.ok(hanging.includes('do_something_else'), hanging.join(' < '));
    // One of the two others comes to the breakpoint and one waits on; the thread that was named has not moved.
    await run.setBreakpoints('hang.c', [busy]);
    await run.client.request('mpidbg/focus', { ranks: '1-2' });
    await run.client.request('continue', { threadId: await run.threadOf(0) });
    assert.equal((await run.nextStop()).description, 'rank 1: breakpoint');
    const unmoved = await run.nextStop();
    assert.deepEqual(
      [unmoved.description, unmoved.threadId, unmoved.preserveFocusHint],
      ['rank 0: not moved', await run.threadOf(0), true],
    );
    // Wherever in the library it waits, a step is not refused.
    await run.client.request('mpidbg/focus', { ranks: '0' });
    await run.client.request('next', { threadId: await run.threadOf(0) });
    await run.close();
  });

  it('stops at a breakpoint that is set while the ranks run, and tells of the ranks that do not come', async () => {
    const run = await DebugRun.launch({ mpi: 'mpich', program: 'hang', attributes: { args: ['1'] } });
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => body.output.includes('rank 1 hangs'));
    const [breakpoint] = await run.setBreakpoints('hang.c', [busy]);
    assert.equal(breakpoint?.verified, true, breakpoint?.message);
    const stop = await run.nextStop();
    assert.equal(stop.threadId, await run.threadOf(1));
    assert.equal(stop.description, 'rank 1: breakpoint');
    assert.notEqual(stop.allThreadsStopped, true);
    await assert.rejects(run.frames(await run.threadOf(0)), /rank 0 is running: pause it/);
    await run.close();
  });

  it('steps into a function and out of it', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const { threadId } = stop;
    await run.client.request('next', { threadId });
    await run.nextStops([0, 1], 'step');
    await run.client.request('stepIn', { threadId });
    await run.nextStops([0, 1], 'step');
    assert.equal((await run.topFrame(0)).name, 'visit');
    assert.equal((await run.topFrame(1)).name, 'visit');
    await run.client.request('stepOut', { threadId });
    await run.nextStops([0, 1], 'step');
    assert.equal((await run.topFrame(0)).name, 'main');
    await run.close();
  });

  it('stops ranks whose other threads reach the breakpoint just then, and pass', async () => {
    const run = await DebugRun.open();
    const condition = 'thread == WAITALL';
    const breakpoints = [{ source: 'threads.c', marker: 'about to wait', condition }];
    await run.launch({ mpi: 'mpich', program: 'threads', ranks: 2, breakpoints }, () =>
      run.client.request('setExceptionBreakpoints', { filters: ['crash'] }),
    );
    assert.equal((await run.nextStop(20_000)).reason, 'breakpoint');
    await run.close();
  });

  it('gives stacks in pages', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'in visit' }],
    });
    const { threadId = 0 } = stop;
    const whole = await run.frames(threadId);
    assert.deepEqual(
      whole.map(({ name }) => name),
      ['visit', 'main'],
    );
    const first = await run.frames(threadId, { startFrame: 0, levels: 1 });
    const second = await run.frames(threadId, { startFrame: 1, levels: 20 });
    assert.deepEqual([...first, ...second], whole);
    assert.deepEqual(await run.frames(threadId, { startFrame: 2, levels: 20 }), []);
    await run.close();
  });
});
