/** Ranks that are about to end the job, or get an error from MPI: where they stop, what is told, and how the job ends then. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { markerLine, SampleJob, type Mpi } from '../support/sample-job';
import { DebugRun, type Stopped } from './debug-run';
import { end, shownFrame, shownLine } from './stopped-dying';

const defaults = ['mpi-error', 'mpi-abort', 'exit-without-finalize'];

async function dying(
  mpi: Mpi,
  how: string,
  filters: readonly string[] = defaults,
  filterOptions: readonly DebugProtocol.ExceptionFilterOptions[] = [],
): Promise<DebugRun> {
  const run = await DebugRun.open();
  const of = how === 'exception' ? { program: 'thrown', args: ['none', 'deep'] } : { program: 'dying', args: [how] };
  await run.launch({ mpi, program: of.program, ranks: 2, attributes: { args: of.args } }, async () => {
    const { breakpoints } = await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>(
      'setExceptionBreakpoints',
      { filters, filterOptions },
    );
    for (const { verified, message } of breakpoints) assert.ok(verified, message);
  });
  return run;
}

/** The thread that this rank has stopped for, with why. */
async function cause(run: DebugRun, rank: number) {
  for (const { id: threadId, name } of await run.threads()) {
    if (!new RegExp(`^rank ${rank}\\b`).test(name)) continue;
    const info = await exceptionInfo(run, { threadId } as Stopped).catch(() => undefined);
    if (info !== undefined) return { threadId, info };
  }
  throw new Error(`rank ${rank} has not stopped for anything`);
}

/** Ends of a job that runs already. */
const underWay: readonly { how: string; words: string; marker: string }[] = [
  {
    how: 'truncate',
    words: 'MPI_Recv: message truncated (MPI_ERR_TRUNCATE) on "ocean"',
    marker: 'receives too much',
  },
  { how: 'abort', words: 'MPI_Abort("ocean", 5)', marker: 'aborts' },
  { how: 'exit', words: 'exit with status 3 without MPI_Finalize', marker: 'exits' },
];

/** Deaths in an error handler of the program's own. */
const forError = ' in the error handler that MPI_Recv called: message truncated (MPI_ERR_TRUNCATE) on "ocean"';
const inHandler: readonly { how: string; filters: string[]; words: string; marker: string }[] = [
  {
    how: 'own-exit',
    filters: ['exit-without-finalize'],
    words: `exit with status 6 without MPI_Finalize${forError}`,
    marker: 'ends in its handler',
  },
  {
    how: 'own-call-abort',
    filters: ['abort'],
    words: `SIGABRT (Aborted): abort was called${forError}`,
    marker: 'calls abort in its handler',
  },
  {
    how: 'own-crash',
    filters: ['mpi-error', 'crash'],
    words: `SIGSEGV (Segmentation fault)${forError}`,
    marker: 'crashes in its handler',
  },
];

/** By C++. In `words`, % stands for what() of what it throws. */
const thrown: readonly { how: string; words: string; marker: string }[] = [
  { how: 'deep', words: 'uncaught std::runtime_error: %', marker: 'throws it' },
  { how: 'in-thread', words: 'uncaught std::runtime_error: %', marker: 'throws it' },
  { how: 'again', words: 'uncaught std::runtime_error: %', marker: 'throws again' },
  { how: 'noexcept', words: 'std::runtime_error: %, which left a noexcept function', marker: 'throws it' },
  { how: 'own', words: 'uncaught Tide: %', marker: 'throws it' },
  { how: 'twofold', words: 'uncaught Twofold<std::vector<int, std::allocator<int> > >: %', marker: 'throws it' },
  { how: 'system', words: 'uncaught std::system_error: %', marker: 'throws it' },
  { how: 'number', words: 'uncaught int: 42', marker: 'throws a number' },
  { how: 'text', words: 'uncaught std::string: no more than a text', marker: 'throws a text' },
  { how: 'handled', words: 'std::terminate, called while handling std::runtime_error: %', marker: 'gives up' },
  { how: 'nothing', words: 'std::terminate, by throw; without an exception to throw again', marker: 'throws nothing' },
  { how: 'joinable', words: 'std::terminate, without an exception', marker: 'forgets a thread' },
  { how: 'pure', words: 'pure virtual method called', marker: 'draws nothing' },
];

async function exceptionInfo(run: DebugRun, { threadId }: Stopped) {
  return run.client.request<DebugProtocol.ExceptionInfoResponse['body']>('exceptionInfo', { threadId });
}

/** hydra may see first that it has killed a rank. */
function assertStatus(mpi: Mpi, status: number | undefined, expected: number): void {
  assert.ok(status === expected || (mpi === 'mpich' && status === 9), String(status));
}

/** What the launchers end with for an error of this class: hydra kills the rank that reports it, too, and may see that first. */
const truncation = { openmpi: [15], mpich: [14, 9] };

for (const mpi of ['openmpi', 'mpich'] as const) {
  describe(`a rank that dies under ${mpi}`, () => {
    it('of an MPI error stops in its call, for a condition that holds, and goes on dying', async () => {
      const condition = 'class == MPI_ERR_TRUNCATE && comm == "ocean" && $rank in 1-7';
      const run = await dying(mpi, 'truncate', ['mpi-abort'], [{ filterId: 'mpi-error', condition }]);
      const stop = await run.nextStop();
      const words = 'MPI_Recv: message truncated (MPI_ERR_TRUNCATE) on "ocean"';
      assert.equal(stop.reason, 'exception');
      assert.equal(stop.description, `rank 1: ${words}`);
      assert.equal(stop.text, `${words}, rank 1`);
      assert.equal(await shownLine(run, stop), markerLine('dying.c', 'receives too much'));
      const { exceptionId, description, breakMode } = await exceptionInfo(run, stop);
      assert.deepEqual([exceptionId, breakMode], ['MPI_ERR_TRUNCATE', 'unhandled']);
      assert.ok(description?.startsWith(`${words}, rank 1`), description);
      const { status, lines } = await end(run, stop);
      // MPI's own message is not asked for: launchers lose it by chance, without a debugger too (deaths/unchanged compares what the rank writes).
      assert.ok(truncation[mpi].includes(status ?? 0), String(status));
      assert.equal(run.stops, 1);
      const place = `dying.c:${markerLine('dying.c', 'receives too much')}`;
      assert.ok(lines.find((line) => line.startsWith('rank 1'))?.endsWith(`: ${words} at ${place}`), lines.join('\n'));
      assert.match(lines.find((line) => line.startsWith('rank 0')) ?? '', / after rank 1 had died$/);
      await run.close();
    });

    it('of an MPI error does not stop for a condition that does not hold', async () => {
      const run = await dying(mpi, 'truncate', [], [{ filterId: 'mpi-error', condition: 'comm == "lake"' }]);
      const { status } = await end(run);
      assert.ok(truncation[mpi].includes(status ?? 0), String(status));
      assert.equal(run.stops, 0);
      await run.close();
    });

    for (const { how, words, marker } of underWay) {
      it(`in a job that was started without a debugger stops there: ${how}`, async () => {
        const job = await SampleJob.startWaiting(mpi, 'dying', { ranks: 2, args: [how] });
        try {
          const run = await DebugRun.attachedWithoutFilters(job.launcherPid);
          await run.client.request('continue', { threadId: await run.threadOf(0) });
          // While the ranks run.
          await run.client.request('setExceptionBreakpoints', { filters: defaults });
          for (const pid of job.pids) process.kill(pid, 'SIGUSR1');
          const stop = await run.nextStop();
          assert.equal(stop.description, `rank 1: ${words}`);
          assert.equal(await shownLine(run, stop), markerLine('dying.c', marker));
          await run.close();
        } finally {
          await job.kill();
        }
      });
    }

    it('of an error that all ranks make stops in all of them', async () => {
      const run = await dying(mpi, 'operation');
      const stop = await run.nextStops([0, 1], 'MPI_Allreduce: invalid operation (MPI_ERR_OP) on "ocean"');
      assert.equal(await shownLine(run, stop), markerLine('dying.c', 'reduces with nothing'));
      await run.close();
    });

    it('of an error of a window or a file stops there', async () => {
      const window = await dying(mpi, 'window');
      const put = await window.nextStop();
      assert.equal(put.description, 'rank 1: MPI_Put: invalid rank (MPI_ERR_RANK) on "tide"');
      assert.equal(await shownLine(window, put), markerLine('dying.c', "puts beyond the window's ranks"));
      await window.close();
      const file = await dying(mpi, 'file');
      const write = await file.nextStop();
      // MPICH's part for files has no function of its own that is told of errors: it calls exit.
      const words = mpi === 'openmpi' ? /^rank 1: MPI_File_write: .* \(MPI_ERR_READ_ONLY\)/ : /^rank 1: MPI_File_write/;
      assert.match(write.description ?? '', words);
      assert.equal(await shownLine(file, write), markerLine('dying.c', 'writes what it may only read'));
      await file.close();
    });

    it('by MPI_Abort in its own error handler stops once, there', async () => {
      const run = await dying(mpi, 'own-abort');
      const stop = await run.nextStop();
      assert.match(stop.description ?? '', /^rank 1: MPI_Abort\("ocean", 5\)/);
      assert.equal(await shownLine(run, stop), markerLine('dying.c', 'gives up'));
      const { status } = await end(run, stop);
      assertStatus(mpi, status, 5);
      // Rank 0 may hear of the end, and exit before it is killed.
      assert.equal(run.stops, 1);
      await run.close();
    });

    for (const { how, filters, words, marker } of inHandler)
      it(`in its own error handler says for which error: ${how}`, async () => {
        const run = await dying(mpi, how, filters);
        const stop = await run.nextStop();
        assert.equal(stop.description, `rank 1: ${words}`);
        assert.equal(await shownLine(run, stop), markerLine('dying.c', marker));
        const { description } = await exceptionInfo(run, stop);
        if (how === 'own-exit') assert.match(description ?? '', /\nsource: 0\ntag: 7\ncomm: "ocean"$/);
        await run.close();
      });

    it('when its own error handler has returned does not die in that', async () => {
      const run = await dying(mpi, 'own-then-exit');
      const stop = await run.nextStop();
      assert.equal(stop.description, 'rank 1: exit with status 3 without MPI_Finalize');
      assert.equal(await shownLine(run, stop), markerLine('dying.c', 'ends when the handler has returned'));
      await run.close();
    });

    it('by exit, or by a return from main, stops with the status', async () => {
      const exits = await dying(mpi, 'exit');
      const exit = await exits.nextStop();
      assert.equal(exit.description, 'rank 1: exit with status 3 without MPI_Finalize');
      assert.equal(await shownLine(exits, exit), markerLine('dying.c', 'exits'));
      assertStatus(mpi, (await end(exits, exit)).status, 3);
      assert.equal(exits.stops, 1);
      await exits.close();
      const returns = await dying(mpi, 'return');
      assert.equal((await returns.nextStop()).description, 'rank 1: main returned 7 without MPI_Finalize');
      await returns.close();
    });

    it('by _exit stops there', async () => {
      const run = await dying(mpi, 'at-once');
      const stop = await run.nextStop();
      assert.equal(stop.description, 'rank 1: _exit with status 3 without MPI_Finalize');
      assert.equal(await shownLine(run, stop), markerLine('dying.c', 'leaves at once'));
      assertStatus(mpi, (await end(run, stop)).status, 3);
      assert.equal(run.stops, 1);
      await run.close();
    });

    it('of an assertion says which', async () => {
      const run = await dying(mpi, 'assert', ['abort']);
      const stop = await run.nextStop();
      assert.match(
        stop.description ?? '',
        /^rank 1: SIGABRT \(Aborted\): .*Assertion `rank == 0 && "the tide is out"' failed/,
      );
      assert.equal(await shownLine(run, stop), markerLine('dying.c', 'asserts'));
      await run.close();
    });

    it('of std::terminate says for what, at the line that throws', async () => {
      const ranks = thrown.length;
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'thrown', ranks, attributes: { args: thrown.map(({ how }) => how) } }, () =>
        run.client.request('setExceptionBreakpoints', { filters: ['abort'] }),
      );
      while ((await run.nextStop()).allThreadsStopped !== true);
      for (const [rank, { how, words, marker }] of thrown.entries()) {
        const { threadId, info } = await cause(run, rank);
        const frames = await run.frames(threadId);
        const shown = shownFrame(frames);
        assert.equal(shown?.line, markerLine('thrown.cpp', marker), how);
        // In the frame that throws: what the program itself says.
        const what = (await run.locals(shown.id)).find(({ name }) => name === 'what');
        const told = /^0x[0-9a-f]+ "(.*)"$/.exec(what?.value ?? '')?.[1] ?? 'bad table';
        assert.equal(info.description, `SIGABRT (Aborted): ${words.replace('%', told)}, rank ${rank}`, how);
      }
      await run.close();
    });

    it('of an exception goes on dying with one stop, and its end is told', async () => {
      const run = await dying(mpi, 'exception', ['abort']);
      const stop = await run.nextStop();
      const { status, lines } = await end(run, stop);
      assert.equal(stop.description, 'rank 1: SIGABRT (Aborted): uncaught std::runtime_error: bad table');
      assert.ok(
        lines.includes('rank 1 was ended by SIGABRT: uncaught std::runtime_error: bad table'),
        lines.join('\n'),
      );
      assert.match(lines.find((line) => line.startsWith('rank 0')) ?? '', / after rank 1 had died$/);
      assertStatus(mpi, status, { openmpi: 134, mpich: 6 }[mpi]);
      // Open MPI's own handler raises the signal again.
      assert.equal(run.stops, 1);
      await run.close();
    });

    it('is no rank that handles its errors, or calls MPI_Finalize at its exit', async () => {
      for (const how of ['returned', 'own', 'at-exit']) {
        const run = await dying(mpi, how);
        assert.deepEqual([(await end(run)).status, run.stops], [0, 0], how);
        await run.close();
      }
    });

    it('not, but gets an error back, stops if the user wants that', async () => {
      const condition = 'class == MPI_ERR_TRUNCATE';
      const options = [{ filterId: 'mpi-error-returned', condition }];
      const words = 'MPI_Recv: message truncated (MPI_ERR_TRUNCATE) on "ocean"';
      const returned = await dying(mpi, 'returned', defaults, options);
      const stop = await returned.nextStop();
      assert.equal(stop.description, `rank 1: ${words}, returned to the program`);
      assert.deepEqual([(await end(returned, stop)).status, returned.stops], [0, 1]);
      await returned.close();
      const own = await dying(mpi, 'own', defaults, options);
      assert.equal((await own.nextStop()).description, `rank 1: ${words}, given to the program's error handler`);
      await own.close();
    });
  });
}

it('a condition on an error of MPI that says nothing is refused', async () => {
  const run = await DebugRun.open();
  await run.launch({ mpi: 'mpich', program: 'dying', ranks: 1 }, async () => {
    const { breakpoints } = await run.client.request<{ breakpoints: DebugProtocol.Breakpoint[] }>(
      'setExceptionBreakpoints',
      { filters: [], filterOptions: [{ filterId: 'mpi-error', condition: 'depth > 3' }] },
    );
    assert.equal(breakpoints[0]?.verified, false);
    assert.match(breakpoints[0]?.message ?? '', /"depth > 3" is not a condition on MPI errors: compare class, comm or/);
  });
  await run.close();
});
