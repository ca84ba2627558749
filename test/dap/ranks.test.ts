import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { attach } from '../../adapter/job-sources/attach';
import { openWorkshop } from '../support/compile';
import { DebugRun } from './debug-run';
import { DapError } from '../support/dap-client';
import { processState, tracerOf } from '../support/process-state';
import { allMpis, SampleJob } from '../support/sample-job';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { RanksBody, VariablesBody } from '../../adapter/dap/queries/custom-requests';
import type { FocusBody } from '../../plugin-api/answers/focus-body';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { Document } from '../../plugin-api/mpi/records';
import type { Differences } from '../../adapter/query/across-ranks/differences';
import type { ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';

const allSet = { source: 'variables.c', marker: 'all variables set' };
const gridIsThere = { source: 'communicators.c', marker: 'all communicators made' };

async function atBreakpoint(attributes: object = {}): Promise<{ run: DebugRun; threadId: number }> {
  const run = await DebugRun.launch({ mpi: 'mpich', program: 'variables', breakpoints: [allSet], attributes });
  const stop = await run.nextStops([0, 1, 2, 3], 'breakpoint');
  return { run, threadId: stop.threadId ?? 0 };
}

async function linesOf(run: DebugRun): Promise<number[]> {
  const lines: number[] = [];
  for (const rank of [0, 1, 2, 3]) lines.push((await run.topFrame(rank)).line);
  return lines;
}

/** Has these ranks step. Returns which of all are at another line then. */
async function moved(run: DebugRun, ranks: number[], step: () => Promise<unknown>): Promise<boolean[]> {
  const before = await linesOf(run);
  await step();
  await run.nextStops(ranks, 'step');
  const now = await linesOf(run);
  return now.map((line, rank) => line !== before[rank]);
}

describe('the focus', () => {
  it('is all ranks, can be set to some, and is what the debug console asks', async () => {
    const { run } = await atBreakpoint();
    const focus = (args: object = {}): Promise<FocusBody> => run.client.request('mpidbg/focus', args);
    assert.deepEqual(await focus(), { ranks: '0-3', all: true, scope: 'focus' });
    assert.deepEqual(await focus({ ranks: '1,3' }), { ranks: '1,3', all: false, scope: 'focus' });
    assert.equal((await run.evaluate('rank', 'repl')).result, '1: 1\n3: 3');
    await assert.rejects(focus({ ranks: '2-7' }), /rank 4 is not in this job/);
    assert.deepEqual(await focus({ ranks: 'all' }), { ranks: '0-3', all: true, scope: 'focus' });
    assert.equal(
      (await run.evaluate('mpi focus 0-1', 'repl')).result,
      'ranks 0-1; continue, step and pause act on these ranks',
    );
    const told = run.client.events
      .filter(({ event }) => event === 'mpidbg/focusChanged')
      .map(({ body }) => body as FocusBody);
    assert.deepEqual(
      told.map(({ ranks }) => ranks),
      ['1,3', '0-3', '0-1'],
    );
    await run.close();
  });

  it('limits continue and step; the setting, or one command, chooses the rank, the thread or all instead', async () => {
    const { run, threadId } = await atBreakpoint({ focus: '0-1' });
    const thread = await run.threadOf(2);
    const next = (args: object): Promise<unknown> => run.client.request('next', { threadId, ...args });
    const inRank2 = (scope: string) => (): Promise<unknown> => next({ threadId: thread, scope });
    assert.deepEqual(await moved(run, [0, 1], () => next({})), [true, true, false, false]);
    assert.deepEqual(await moved(run, [2], inRank2('rank')), [false, false, true, false]);
    assert.deepEqual(await moved(run, [2], inRank2('thread')), [false, false, true, false]);
    assert.deepEqual(await moved(run, [1, 2], () => next({ ranks: '1-2' })), [false, true, true, false]);
    await assert.rejects(next({ ranks: '7' }), /rank 7 is not in this job/);
    await run.client.request('mpidbg/focus', { scope: 'all' });
    assert.deepEqual(await moved(run, [0, 1, 2, 3], () => next({})), [true, true, true, true]);
    await assert.rejects(next({ scope: 'some' }), /it is one of thread, rank, focus, all/);
    await run.close();
  });
});

describe('a rank that the user selects', () => {
  it('is shown by a stop of its own; one that runs is not', async () => {
    const { run, threadId } = await atBreakpoint();
    const select = (args: object): Promise<{ threadId: number }> => run.client.request('mpidbg/select', args);
    const shown = await run.threadOf(2);
    const stop = run.nextStop();
    assert.deepEqual(await select({ ranks: '2-3' }), { threadId: shown });
    assert.deepEqual(
      { ...(await stop), description: undefined },
      { reason: 'breakpoint', threadId: shown, description: undefined },
    );
    assert.equal((await select({ threadId })).threadId, threadId);
    await assert.rejects(select({ threadId: 4711 }), /4711/);
    await assert.rejects(select({ ranks: '9' }), /rank 9 is not in this job/);
    await run.close();
  });
});

describe('sets of ranks', () => {
  for (const mpi of allMpis) {
    it(`come from expressions, places and communicators with ${mpi}`, async () => {
      const { run } = await DebugRun.stopped({
        mpi,
        program: 'communicators',
        breakpoints: [gridIsThere],
      });
      const frameId = (await run.topFrame(3)).id;
      const set = async (args: object): Promise<string> =>
        (await run.client.request<{ ranks: string }>('mpidbg/rankSet', args)).ranks;
      assert.equal(await set({ comm: 'MPI_COMM_WORLD' }), '0-3');
      // What MPI_Cart_sub made of the grid is its row; rank 3 is at (1, 1) of 2 × 2.
      assert.equal(await set({ comm: 'grid_row', frameId }), '2-3');
      assert.equal(await set({ comm: 'grid', dimension: 1, frameId }), '2-3');
      assert.equal(await set({ comm: 'grid', dimension: 0, frameId }), '1,3');
      await assert.rejects(set({ comm: 'grid', dimension: 2, frameId }), /there is no dimension 2/);
      assert.equal(await set({ where: 'rank > 1', frameId }), '2-3');
      assert.equal(await set({ where: 'rank > 7', frameId }), '');
      assert.equal(await set({ where: '$rank in 0,2-3 && $rank != 2', frameId }), '0,3');
      await assert.rejects(set({ where: '"ocean"', frameId }), /neither true nor false/);
      assert.equal(await set({ stoppedLike: frameId }), '0-3');
      await assert.rejects(set({ where: 'nonsense', frameId }), DapError);
      await assert.rejects(set({ comm: 'MPI_COMM_WORLD', dimension: 0 }), /has no cartesian topology/);
      await assert.rejects(set({ comm: 'rank', frameId }), DapError);
      await run.close();
    });
  }
});

describe('ranks of which one is elsewhere', () => {
  it('are told apart by place, and read in the frames of the program that have the name', async () => {
    const busy = { source: 'hang.c', marker: 'still busy' };
    const { run, stop } = await DebugRun.stopped({ mpi: 'openmpi', program: 'hang', breakpoints: [busy] });
    const text = async (expression: string, frameId?: number): Promise<string> =>
      (await run.evaluate(expression, 'repl', frameId)).result;
    const elsewhere = (await run.topFrame(1)).id;
    assert.equal(await text('rank == $rank', elsewhere), '0,2-3: running: pause it to look at it\n1: 1');
    await run.setBreakpoints('hang.c', []);
    await run.client.request('continue', { threadId: stop.threadId });
    await run.client.request('pause', { threadId: stop.threadId });
    await run.nextStops([0, 1, 2, 3], 'paused');
    // Each is another variable.
    const apart = '0,2-3: 1 · in main\n1: 1 · in do_something_else';
    assert.equal(await text('rank == $rank'), apart);
    const frames = await run.frames(await run.threadOf(1));
    const own = frames.find(({ name }) => name === 'do_something_else');
    assert.equal(await text('rank == $rank', own?.id), apart);
    // The innermost is in the C library, of which no line may be known.
    for (const stoppedLike of [own?.id, frames[0]?.id])
      assert.deepEqual(await run.client.request('mpidbg/rankSet', { stoppedLike }), { ranks: '1' });
    await run.close();
  });
});

describe('ranks stopped in a function of which no line is known', () => {
  const program = `
#include <mpi.h>
void wait_here(void);
static void east(void) { wait_here(); }
static void west(void) { wait_here(); }
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        east();
    else
        west();
    return MPI_Finalize();
}`;

  it('are told apart by their callers', async () => {
    const workshop = openWorkshop();
    try {
      const object = workshop.compile('wait.o', 'void wait_here(void) {}', 'gcc', ['-c', '-g0']);
      const path = workshop.compile('callers', program, 'mpicc.mpich', ['-g', '-O0', object]);
      const run = await DebugRun.open();
      const attributes = { program: path };
      await run.launch({ mpi: 'mpich', program: 'ring', ranks: 3, attributes }, () =>
        run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'wait_here' }] }),
      );
      await run.nextStops([0, 1, 2], 'breakpoint');
      for (const [rank, ranks] of [
        [0, '0,2'],
        [1, '1'],
      ] as const) {
        const { id: stoppedLike } = await run.topFrame(rank);
        assert.deepEqual(await run.client.request('mpidbg/rankSet', { stoppedLike }), { ranks });
      }
      await run.close();
    } finally {
      workshop.close();
    }
  });
});

describe('a value over ranks', () => {
  it('has equal answers merged, the smallest, the greatest, and who differs', async () => {
    const { run } = await atBreakpoint();
    const value = (expression: string): Promise<ValueOverRanks> => run.client.request('mpidbg/value', { expression });
    assert.deepEqual(await value('rank == 2 ? 9 : 7'), {
      expression: 'rank == 2 ? 9 : 7',
      values: [
        { ranks: '0-1,3', text: '7' },
        { ranks: '2', text: '9' },
      ],
      minimum: { ranks: '0-1,3', text: '7' },
      maximum: { ranks: '2', text: '9' },
      differ: '2',
      errors: [],
    });
    assert.equal(
      (await run.evaluate('mpi value rank', 'repl')).result,
      ['rank  0  0', '      1  1', '      2  2', '      3  3', '         minimum 0 (rank 0), maximum 3 (rank 3)'].join(
        '\n',
      ),
    );
    assert.equal((await run.evaluate('mpi where rank % 2 == 1', 'repl')).result, 'ranks 1,3');
    const { id: frameId } = await run.topFrame(0);
    const differences = (args: object = {}): Promise<Differences> =>
      run.client.request('mpidbg/differences', { frameId, ...args });
    const { function: place, ranks, variables, alike } = await differences();
    assert.deepEqual([place, ranks], ['main', '0-3']);
    const valuesOf = (name: string, of = variables): string[] | undefined =>
      of.find(({ expression }) => expression === name)?.values.map(({ text }) => text);
    assert.deepEqual(valuesOf('rank'), ['0', '1', '2', '3']);
    assert.deepEqual(valuesOf('letter'), ["65 'A'", "66 'B'", "67 'C'", "68 'D'"]);
    assert.equal(valuesOf('numbers'), undefined);
    assert.ok(alike.includes('size'), alike.join());
    const whole = await differences({ ranks: '1-2', compound: true });
    assert.deepEqual(valuesOf('numbers', whole.variables), ['{10, 20, 30, 40, 51}', '{10, 20, 30, 40, 52}']);
    assert.ok(whole.alike.includes('matrix'), whole.alike.join());
    assert.equal((await value('nonsense')).errors[0]?.ranks, '0-3');
    await run.close();
  });

  it('is marked in the variables where it differs, on demand, and a marked value can be given back', async () => {
    const { run } = await atBreakpoint({ markDifferences: true });
    const { id: frameId } = await run.topFrame(0);
    const { scopes } = await run.client.request<DebugProtocol.ScopesResponse['body']>('scopes', { frameId });
    const variablesReference = scopes[0]!.variablesReference;
    const valueOf = async (name: string): Promise<string | undefined> => {
      const body = { variablesReference };
      const { variables } = await run.client.request<DebugProtocol.VariablesResponse['body']>('variables', body);
      return variables.find((variable) => variable.name === name)?.value;
    };
    assert.deepEqual([await valueOf('rank'), await valueOf('size')], ['0 ≠', '4']);
    await run.client.request('setVariable', { variablesReference, name: 'rank', value: '0 ≠' });
    assert.equal(await valueOf('rank'), '0 ≠');
    await run.close();
  });
});

for (const mpi of allMpis) {
  describe(`the handles of ${mpi}`, () => {
    it('lead to the variables that hold them, and to where these are declared', async () => {
      const source = 'ring.c';
      const { run } = await DebugRun.stopped({
        ...{ mpi, program: 'ring', ranks: 2, breakpoints: [{ source, marker: 'token arrived' }] },
      });
      const { ranks } = await run.client.request<Document>('mpidbg/show', { expressions: ['ocean'], ranks: '1' });
      const [rank] = ranks;
      const answer = rank !== undefined && 'answers' in rank ? rank.answers[0] : undefined;
      assert.ok(answer?.code === 'MPIDBG_SUCCESS' && 'handle' in answer.info);
      const { handle } = answer.info;
      const found = await run.client.request<VariablesBody>('mpidbg/variables', { rank: 1, kind: 'comm', handle });
      const file = path.join(__dirname, '../../samples', source);
      const lines = readFileSync(file, 'utf8').split('\n');
      assert.deepEqual(
        found.variables.map(({ expression, function: place, source: at }) => ({ expression, place, at })),
        [{ expression: 'ocean', place: 'main', at: { file, line: lines.indexOf('    MPI_Comm ocean;') + 1 } }],
      );
      const nothing = { rank: 1, kind: 'comm', handle: '0x1' };
      assert.deepEqual(await run.client.request('mpidbg/variables', nothing), { variables: [] });
      await run.close();
    });
  });
}

describe('the ranks of a job', () => {
  it('tell where each of them stands', async () => {
    const { run } = await atBreakpoint();
    const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks', { places: true });
    const file = path.join(__dirname, '../../samples/variables.c');
    for (const { place, source, stopReason, inMpi } of ranks) {
      assert.equal(inMpi, false);
      assert.match(place ?? '', /^main at variables\.c:\d+$/);
      assert.deepEqual(
        { source, stopReason },
        { source: { file, line: Number(place?.split(':')[1]) }, stopReason: 'breakpoint' },
      );
    }
    await run.close();
  });

  for (const mpi of allMpis) {
    it(`have the threads of ${mpi} named, or left out`, async () => {
      const places = { mpi, program: 'ring', ranks: 2, breakpoints: [{ source: 'ring.c', marker: 'token arrived' }] };
      const { run } = await DebugRun.stopped(places);
      const names = (await run.threads()).map(({ name }) => name);
      const helpers = names.filter((name) => name.includes('thread'));
      assert.ok(
        helpers.length > 0 && helpers.every((name) => /^rank \d · thread \d \((Open MPI|PMIx|UCX)\)$/.test(name)),
        names.join(),
      );
      await run.close();
      const { run: quiet } = await DebugRun.stopped({ ...places, attributes: { helperThreads: false } });
      assert.deepEqual(
        (await quiet.threads()).map(({ name }) => name),
        ['rank 0', 'rank 1'],
      );
      await quiet.close();
    });
  }
});

for (const mpi of allMpis) {
  describe(`attaching to some ranks of ${mpi}`, () => {
    it('leaves out one that another debugger has, with the reason, until that lets it go', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators');
      const [, traced = 0] = job.pids;
      const other = await attach({ pids: [traced] });
      try {
        const why = `process ${traced} (communicators) is already being traced by process ${tracerOf(traced)} (gdb)`;
        const run = await DebugRun.open();
        const inSession = (event: string): Promise<unknown> =>
          run.client.waitFor('output', ({ body }) => (body as { output: string }).output.includes(event));
        await run.attach({ launcherPid: job.launcherPid });
        const stop = await run.nextStop();
        assert.equal(stop.description, 'ranks 0,2-3: attached');
        await inSession(`warning: rank 1 is not in the session: ${why}`);
        const rows = async (): Promise<RanksBody['ranks']> =>
          (await run.client.request<RanksBody>('mpidbg/ranks', { places: true })).ranks;
        const absent = (await rows()).find(({ rank }) => rank === 1);
        assert.equal(absent?.state, 'absent');
        assert.ok(absent.reason?.startsWith(why), absent.reason);
        await assert.rejects(run.client.request('mpidbg/focus', { ranks: '1' }), (error: Error) =>
          error.message.includes(`rank 1 is not in this session: ${why}`),
        );
        const { sentence } = await run.client.request<HangDocument>('mpidbg/hang');
        assert.ok(sentence.includes(`Rank 1 cannot be asked: ${why}`), sentence);

        await other.release();
        await inSession('rank 1 can be attached to now, and is in the session');
        const taken = (await rows()).filter(({ rank }) => rank === 1);
        assert.deepEqual(
          taken.map(({ pid, state, reason }) => ({ pid, state, reason })),
          [{ pid: traced, state: 'running', reason: undefined }],
        );
        await run.client.request('pause', { threadId: await run.threadOf(1) });
        await run.nextStop();
        const main = (await run.frames(await run.threadOf(1))).find(({ name }) => name === 'main');
        const ocean = (await run.locals(main!.id)).find(({ name }) => name === 'ocean');
        assert.equal(ocean?.value, 'MPI_Comm "ocean" · rank 1 of 4');
        await run.close();
        for (const pid of job.pids) assert.match(processState(pid) ?? 'ended', /^[SR]$/);
        await job.finish();
      } finally {
        await other.release();
        await job.kill();
      }
    });

    it('holds these alone, leaves them running, and can be done again', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators');
      try {
        for (const ranks of ['1-2', '3']) {
          const run = await DebugRun.open();
          await run.attach({ launcherPid: job.launcherPid, ranks });
          await run.nextStop();
          const { ranks: rows } = await run.client.request<RanksBody>('mpidbg/ranks');
          const expected = ranks === '3' ? [3] : [1, 2];
          assert.deepEqual(
            rows.map(({ rank, pid }) => ({ rank, pid })),
            expected.map((rank) => ({ rank, pid: job.pids[rank] })),
          );
          assert.match(processState(job.pids[0] ?? 0) ?? 'ended', /^[SR]$/);
          for (const { name } of await run.threads())
            assert.match(name, /^rank \d( · thread \d \((Open MPI|PMIx|UCX)\))?$/);
          await run.close();
        }
        const run = await DebugRun.open();
        await assert.rejects(
          run.client.request('attach', { pids: job.pids, ranks: '0,9' }),
          /rank 9 was not found; found: /,
        );
        await run.close();
        await job.finish();
      } finally {
        await job.kill();
      }
    });
  });
}

for (const mpi of allMpis) {
  describe(`a job of ${mpi} with many threads that is attached to`, () => {
    it('goes on when it is continued, and nothing stops it', async () => {
      const job = await SampleJob.startWaiting(mpi, 'communicators', { ranks: 8 });
      try {
        const run = await DebugRun.attachedWithoutFilters(job.launcherPid);
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        await job.finish();
        await run.terminated();
        assert.equal(run.stops, 1);
        await run.close();
      } finally {
        await job.kill();
      }
    });
  });
}

describe('a gdb that is killed', () => {
  it('loses its ranks only: those of the other gdb go on', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 13, // one more than one gdb takes
      breakpoints: [allSet],
    });
    const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
    const gdbs = ranks.map(({ pid }) => tracerOf(pid ?? 0) ?? 0);
    assert.equal(new Set(gdbs).size, 2);
    process.kill(gdbs[0] ?? 0, 'SIGKILL');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
      /mpidbg can no longer tell/.test(body.output),
    );
    const states = async (): Promise<string[]> =>
      (await run.client.request<RanksBody>('mpidbg/ranks')).ranks.map(({ state }) => state);
    const expected = gdbs.map((gdb) => (gdb === gdbs[0] ? 'lost' : 'stopped'));
    assert.deepEqual(await states(), expected);
    const alive = await run.threadOf(12);
    const { line } = await run.topFrame(12);
    await run.client.request('next', { threadId: alive });
    await run.nextStop();
    assert.notEqual((await run.topFrame(12)).line, line);
    assert.notEqual(stop.threadId, undefined);
    await run.close();
  });
});

describe('a rank that a command takes from gdb', () => {
  const lose = async (command: string): Promise<DebugRun> => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [allSet] });
    await run.client.request('mpidbg/focus', { ranks: '0' });
    await run.evaluate(`-exec ${command}`, 'repl');
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) => /^rank 0 is lost/m.test(body.output));
    return run;
  };

  for (const command of ['detach', 'python gdb.execute("detach")'])
    it(`is lost, and the others are not: ${command}`, async () => {
      const run = await lose(command);
      const { ranks } = await run.client.request<RanksBody>('mpidbg/ranks');
      const states = ranks.map(({ state, threadIds }) => [state, threadIds.length > 0]);
      assert.deepEqual(states, [
        ['lost', false],
        ['stopped', true],
      ]);
      const { line } = await run.topFrame(1);
      await run.client.request('next', { threadId: await run.threadOf(1), scope: 'rank' });
      await run.nextStop();
      assert.notEqual((await run.topFrame(1)).line, line);
      await run.close();
    });

  it('is lost when it is killed, and the launcher ends the job', async () => {
    const run = await lose('kill');
    await run.terminated();
    await run.close();
  });
});

describe('a gdb that fails', () => {
  it('loses its ranks, and leaves no core file of its own', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables', ranks: 2, breakpoints: [allSet] });
    const [rank] = (await run.client.request<RanksBody>('mpidbg/ranks')).ranks;
    const folder = readlinkSync(`/proc/${tracerOf(rank?.pid ?? 0)}/cwd`);
    const cores = (): string[] => readdirSync(folder).filter((name) => name.startsWith('core'));
    const before = cores();
    await run.client.request('mpidbg/focus', { ranks: '0' });
    await assert.rejects(run.evaluate('-exec maintenance internal-error', 'repl'), /gdb/);
    await run.client.waitFor<DebugProtocol.OutputEvent>('output', ({ body }) =>
      /mpidbg can no longer tell/.test(body.output),
    );
    assert.deepEqual(cores(), before);
    await run.close();
  });
});
