/** restart: the job ends and begins again in the same session, and stops where the first one would have. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RanksBody } from '../../adapter/dap/queries/custom-requests';
import type { FocusBody } from '../../plugin-api/answers/focus-body';
import { eventually, hasEnded } from '../support/process-state';
import { eitherMpi, launchers, SampleJob, samplePath } from '../support/sample-job';
import { areWatched } from '../support/watchpoints';
import { DebugRun } from './debug-run';

const tokenArrived = { source: 'ring.c', marker: 'token arrived' };
type Answer = { breakpoints: DebugProtocol.Breakpoint[] };
type Info = DebugProtocol.DataBreakpointInfoResponse['body'];

async function ranksOf(run: DebugRun): Promise<RanksBody['ranks']> {
  return (await run.client.request<RanksBody>('mpidbg/ranks')).ranks;
}

async function pidsOf(run: DebugRun): Promise<number[]> {
  return (await ranksOf(run)).map(({ pid = 0 }) => pid);
}

for (const mpi of eitherMpi('restart')) {
  describe(`restart with ${mpi}`, () => {
    it('of a stopped job: breakpoints, their ids and the focus stay, nothing of the first run does', async () => {
      const place = { ...tokenArrived, condition: 'lap == 2' };
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'ring', breakpoints: [place] });
      await run.client.request('mpidbg/focus', { ranks: '1-2', scope: 'rank' });
      const before = await pidsOf(run);
      const launchersBefore = run.launchers();
      assert.equal(launchersBefore.length, 1);
      const threadIds = (await run.threads()).map(({ id }) => id);
      const frame = await run.topFrame(1);

      const eventsBefore = run.client.events.length;
      await run.client.request('restart');
      const again = await run.nextStop();
      assert.ok(before.every(hasEnded));
      assert.equal(run.launchers().length, 1);
      assert.notDeepEqual(run.launchers(), launchersBefore);
      assert.deepEqual([again.reason, again.description], ['breakpoint', 'ranks 0-3: breakpoint']);
      assert.deepEqual(again.hitBreakpointIds, stop.hitBreakpointIds);
      for (const rank of [0, 1, 2, 3]) assert.equal((await run.local(rank, 'lap')).value, '2');
      const focus = await run.client.request<FocusBody>('mpidbg/focus');
      assert.deepEqual(focus, { ranks: '1-2', all: false, scope: 'rank' });
      // What the client knows of the first run's threads and frames means nothing in the second. Open MPI 5 has threads
      // that end before the stop.
      const told = (reason: string): number[] =>
        run.client.events.slice(eventsBefore).flatMap(({ event, body }) => {
          const thread = body as { reason: string; threadId: number };
          return event === 'thread' && thread.reason === reason ? [thread.threadId] : [];
        });
      const present = (await run.threads()).map(({ id }) => id);
      const passing = told('started').filter((id) => !present.includes(id));
      assert.deepEqual(told('exited').toSorted(), [...threadIds, ...passing].toSorted());
      assert.ok(present.every((id) => !threadIds.includes(id)));
      await assert.rejects(run.client.request('scopes', { frameId: frame.id }), /earlier stop/);

      await run.client.request('mpidbg/focus', { ranks: 'all', scope: 'focus' });
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      assert.equal(await run.terminated(), 0);
      for (const event of ['initialized', 'terminated', 'exited'])
        assert.equal(run.client.events.filter((each) => each.event === event).length, 1, event);
      await run.close();
    });

    it('of a running job, with other arguments', async () => {
      const run = await DebugRun.launch({ mpi, program: 'hang', ranks: 2 });
      await run.client.waitFor('output', ({ body }) => (body as { output: string }).output.includes('hangs'));
      const before = await pidsOf(run);
      const { command, env } = launchers[mpi];
      const configuration = { program: samplePath(mpi, 'ring'), ranks: 3, launcher: command, env, stopOnEntry: true };
      await run.client.request('restart', { arguments: configuration });
      const stop = await run.nextStop();
      assert.deepEqual([stop.reason, stop.description], ['entry', 'ranks 0-2: entry']);
      assert.ok(before.every(hasEnded));
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      assert.equal(await run.terminated(), 0);
      assert.match(run.client.outputText('stdout'), /rank 2 of 3, lap 3/);
      await run.close();
    });

    it('of a job of which one rank has ended already', async () => {
      const run = await DebugRun.open();
      const options = { mpi, program: 'lifecycle', ranks: 2, attributes: { args: ['after-finalize'] } };
      await run.launch(options, () => run.client.request('setExceptionBreakpoints', { filters: [] }));
      const waits = (rank: number, since: number): Promise<unknown> =>
        run.client.waitFor<DebugProtocol.OutputEvent>(
          'output',
          ({ body }) => body.output.includes(`MPIDBG-WAITING {"rank":${rank}`),
          { since },
        );
      await Promise.all([waits(0, 0), waits(1, 0)]);
      const [first = 0, second = 0] = await pidsOf(run);
      process.kill(second, 'SIGUSR1');
      await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
        body.output.includes('rank 1 exited with status 0'),
      );
      const since = run.client.events.length;
      await run.client.request('restart');
      await Promise.all([waits(0, since), waits(1, since)]);
      assert.ok(hasEnded(first) && hasEnded(second));
      // That signals stop no rank is still so, too.
      for (const pid of await pidsOf(run)) process.kill(pid, 'SIGUSR1');
      assert.equal(await run.terminated(), 0);
      assert.equal(run.stops, 0);
      await run.close();
    });

    it('of a job that was attached to attaches again', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators');
      try {
        const run = await DebugRun.open();
        await run.client.request('attach', { launcherPid: job.launcherPid });
        await run.client.request('configurationDone');
        await run.nextStop();
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        await run.client.request('restart');
        const stop = await run.nextStop();
        assert.equal(stop.description, 'ranks 0-3: attached');
        assert.deepEqual(await pidsOf(run), job.pids);
        await run.close();
        await job.finish();
      } finally {
        await job.kill();
      }
    });
  });
}

describe('restart', () => {
  it('keeps breakpoints on functions, instructions and data, where what they are on is there again', async () => {
    const { run } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const { client } = run;
    const ask = async (name: string): Promise<string> => {
      const info = await client.request<Info>('dataBreakpointInfo', { frameId: (await run.topFrame(1)).id, name });
      assert.ok(info.dataId, info.description);
      return info.dataId;
    };
    const data = [{ dataId: await ask('rounds'), accessType: 'readWrite' }, { dataId: await ask('precise') }];
    const ofData = await client.request<Answer>('setDataBreakpoints', { breakpoints: data });
    const isWatched = areWatched(ofData.breakpoints);
    const ofFunctions = await client.request<Answer>('setFunctionBreakpoints', {
      breakpoints: [{ name: 'main', condition: '$rank == 0' }],
    });
    const { instructionPointerReference = '', line } = await run.topFrame(1);
    const ofInstructions = await client.request<Answer>('setInstructionBreakpoints', {
      breakpoints: [{ instructionReference: instructionPointerReference }],
    });
    await run.setBreakpoints('variables.c', []);
    const addressBefore = (await run.evaluate('&rounds', 'watch', (await run.topFrame(1)).id)).memoryReference;

    const since = client.events.length;
    await client.request('restart');
    const atMain = await run.nextStop(8000);
    assert.equal(atMain.reason, 'function breakpoint');
    assert.deepEqual(atMain.hitBreakpointIds, [ofFunctions.breakpoints[0]?.id]);
    const told = client.events
      .slice(since)
      .filter((event): event is DebugProtocol.BreakpointEvent => event.event === 'breakpoint')
      .map(({ body }) => body.breakpoint);
    const last = (id: number | undefined): DebugProtocol.Breakpoint | undefined =>
      told.findLast((each) => each.id === id);
    // What was refused before is not told again.
    if (isWatched) {
      assert.equal(last(ofData.breakpoints[0]?.id)?.verified, true);
      assert.equal(last(ofData.breakpoints[1]?.id)?.verified, false);
      assert.match(last(ofData.breakpoints[1]?.id)?.message ?? '', /the memory of rank 1 that it watched is gone/);
    }

    // The client sends all of them again when the user adds or removes one: with what it was given before the restart.
    const resent = await client.request<Answer>('setDataBreakpoints', { breakpoints: data });
    assert.deepEqual(
      resent.breakpoints.map(({ verified }) => verified),
      [isWatched, false],
    );
    await client.request('setDataBreakpoints', { breakpoints: data.slice(0, 1) });
    await client.request('continue', { threadId: await run.threadOf(0) });
    const next = await run.nextStop();
    const at = (await run.topFrame(1)).instructionPointerReference;
    assert.deepEqual([next.reason, (await run.topFrame(1)).line], ['instruction breakpoint', line]);
    assert.deepEqual(next.hitBreakpointIds, [ofInstructions.breakpoints[0]?.id]);
    assert.match(at ?? '', /^0x[0-9a-f]+@1\.2$/);
    const addressNow = (await run.evaluate('&rounds', 'watch', (await run.topFrame(1)).id)).memoryReference;
    assert.match(addressNow ?? '', /@1\.2$/);
    assert.match(addressBefore ?? '', /@1$/);
    await run.close();
  });

  it('twice at once is two restarts', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [tokenArrived] });
    await Promise.all([run.client.request('restart'), run.client.request('restart')]);
    await eventually('the second job stops', async () =>
      (await ranksOf(run)).every(({ state }) => state === 'stopped'),
    );
    assert.equal((await run.local(1, 'lap')).value, '1');
    assert.equal(run.launchers().length, 1);
    await run.close();
  });

  it('with arguments that cannot be meant leaves the job as it is; a program that is not there ends the session', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [tokenArrived] });
    const before = await pidsOf(run);
    const program = samplePath('mpich', 'ring');
    await assert.rejects(
      run.client.request('restart', { arguments: { program, ranks: -1 } }),
      /"ranks" must be a whole number of at least 1/,
    );
    assert.equal((await run.local(1, 'lap')).value, '1');
    assert.deepEqual(await pidsOf(run), before);
    await assert.rejects(
      run.client.request('restart', { arguments: { program: `${program}-gone`, ranks: 2 } }),
      /ring-gone/,
    );
    await run.terminated();
    await assert.rejects(run.client.request('restart'), /ring-gone|the job has ended/);
    await run.close();
  });

  it('is given up when the user ends the session meanwhile', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'openmpi', program: 'ring', ranks: 2, breakpoints: [tokenArrived] });
    const since = run.client.events.length;
    const refused = assert.rejects(run.client.request('restart'), /the start was cancelled|the job has ended/);
    await run.client.waitFor('output', () => true, { since });
    await run.close();
    await refused;
  });
});
