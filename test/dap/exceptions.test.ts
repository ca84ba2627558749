/** Exception filters: signals and C++ exceptions, and what exceptionInfo tells of them. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DebugRun } from './debug-run';

type Info = DebugProtocol.ExceptionInfoResponse['body'];

async function setFilters(
  run: DebugRun,
  filters: string[],
  filterOptions: DebugProtocol.ExceptionFilterOptions[] = [],
): Promise<DebugProtocol.Breakpoint[]> {
  const body = await run.client.request<DebugProtocol.SetExceptionBreakpointsResponse['body']>(
    'setExceptionBreakpoints',
    { filters, filterOptions },
  );
  return body?.breakpoints ?? [];
}

async function info(run: DebugRun, rank: number): Promise<Info> {
  return run.client.request<Info>('exceptionInfo', { threadId: await run.threadOf(rank) });
}

async function started(
  filters: string[],
  filterOptions: DebugProtocol.ExceptionFilterOptions[] = [],
): Promise<DebugRun> {
  const run = await DebugRun.open();
  await run.launch({ mpi: 'mpich', program: 'exceptions', ranks: 2 }, async () => {
    for (const { verified, message } of await setFilters(run, filters, filterOptions)) assert.ok(verified, message);
  });
  return run;
}

describe('signals', () => {
  it('stop when the user wants that, and say where they come from', async () => {
    const run = await started(['crash', 'signal']);
    const stop = await run.nextStops([0, 1], 'SIGUSR1 (User defined signal 1)');
    assert.equal(stop.reason, 'exception');
    const { exceptionId, description } = await info(run, 1);
    assert.equal(exceptionId, 'SIGUSR1');
    assert.equal(description, 'User defined signal 1, raised by the program itself');
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    assert.match(run.client.outputText('stdout'), /rank 1: 1 signals/);
    await run.close();
  });

  it('do not stop when the user wants that, and reach the program', async () => {
    const run = await started(['crash'], [{ filterId: 'signal', condition: 'SIGPIPE, SIGUSR2' }]);
    assert.equal(await run.terminated(), 0);
    assert.equal(run.stops, 0);
    assert.match(run.client.outputText('stdout'), /rank 1: 1 signals/);
    await run.close();
  });

  it('that are none are refused', async () => {
    const run = await DebugRun.open();
    await run.launch({ mpi: 'mpich', program: 'exceptions', ranks: 2 }, async () => {
      const [breakpoint] = await setFilters(run, [], [{ filterId: 'signal', condition: 'SIGNONSENSE' }]);
      assert.equal(breakpoint?.verified, false);
      assert.match(breakpoint.message ?? '', /"SIGNONSENSE" is not a signal that can stop a rank/);
      await assert.rejects(setFilters(run, ['nonsense']), /there is no filter nonsense/);
    });
    await run.close();
  });

  it('of a crash tell the address that was touched', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'openmpi', program: 'segv', attributes: { args: ['1'] } });
    const crash = await info(run, 1);
    assert.equal(crash.exceptionId, 'SIGSEGV');
    assert.equal(crash.breakMode, 'unhandled');
    // The program follows a null pointer, maybe to a member.
    assert.match(
      crash.description ?? '',
      /^Segmentation fault at address 0x[0-9a-f]{1,3} \(nothing is mapped there\)$/,
    );
    await run.close();
  });

  it('a rank that crashes ends by itself when crashes are not to stop', async () => {
    const run = await DebugRun.open();
    await run.launch({ mpi: 'mpich', program: 'segv', attributes: { args: ['1'] } }, () => setFilters(run, []));
    await run.terminated();
    assert.equal(run.stops, 0);
    assert.match(run.client.outputText('console'), /^rank 1 was ended by SIGSEGV$/m);
    await run.close();
  });
});

describe('exceptions of C++', () => {
  it('stop where they are thrown, with their type and value', async () => {
    const run = await started(['crash', 'cxx-throw']);
    const stop = await run.nextStops([0, 1], 'C++ throw');
    assert.equal(stop.reason, 'exception');
    const [error, reef] = [await info(run, 0), await info(run, 1)];
    assert.equal(error.exceptionId, 'std::runtime_error');
    assert.equal(reef.exceptionId, 'reef');
    assert.match(reef.description ?? '', /^C\+\+ throw of reef: .*depth = 11/);
    for (const rank of [0, 1]) {
      const names = (await run.frames(await run.threadOf(rank))).map(({ name }) => name);
      assert.ok(
        names.some((name) => name.startsWith('sound')),
        names.join(' < '),
      );
    }
    await run.client.request('continue', { threadId: stop.threadId });
    assert.equal(await run.terminated(), 0);
    await run.close();
  });

  it('stop where they are caught, those of a type, and for some ranks', async () => {
    const caught = await started([], [{ filterId: 'cxx-catch', condition: '^reef' }]);
    assert.equal((await caught.nextStop()).description, 'rank 1: C++ catch');
    await caught.close();
    const thrown = await started([], [{ filterId: 'cxx-throw', condition: '$rank in 0' }]);
    assert.equal((await thrown.nextStop()).description, 'rank 0: C++ throw');
    await thrown.close();
  });
});
