/** Breakpoints with everything that can be written beside them. What the ranks print says who was where. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { allMpis, markerLine } from '../support/sample-job';
import { DebugRun, type Place } from './debug-run';

const samples = join(__dirname, '..', '..', 'samples');
const ring = (rules: object = {}): Place => ({ source: 'ring.c', marker: 'token arrived', ...rules });

/** The ranks that are stopped at a line of the source now. */
async function ranksAt(run: DebugRun, source: string): Promise<number[]> {
  const at: number[] = [];
  const ranks = (await run.threads()).filter(({ name }) => /^rank \d+$/.test(name));
  for (const { id, name } of ranks) {
    const [frame] = await run.frames(id).catch(() => []);
    if (frame?.source?.name === source) at.push(Number(name.slice(5)));
  }
  return at;
}

async function logged(run: DebugRun): Promise<DebugProtocol.OutputEvent['body'][]> {
  await run.terminated();
  return run.client.events
    .filter((event): event is DebugProtocol.OutputEvent => event.event === 'output')
    .map(({ body }) => body)
    .filter(({ category, output }) => category === 'console' && /^\[\d+\] /.test(output));
}

describe('breakpoints for some ranks', () => {
  for (const mpi of allMpis) {
    it(`stop the ranks that $rank names, with ${mpi}`, async () => {
      const { run } = await DebugRun.stopped({
        mpi,
        program: 'ring',
        breakpoints: [ring({ condition: '$rank == 2' })],
      });
      assert.deepEqual(await ranksAt(run, 'ring.c'), [2]);
      assert.equal((await run.local(2, 'rank')).value, '2');
      await run.close();
    });
  }

  it('stop a set of ranks, beside a condition of the program', async () => {
    const place = ring({ condition: '$rank in 1-2, 5 && lap == 2' });
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 6, breakpoints: [place] });
    const threadIds = new Set([stop.threadId]);
    while (threadIds.size < 3) threadIds.add((await run.nextStop()).threadId);
    for (const rank of [1, 2, 5]) {
      assert.ok(threadIds.has(await run.threadOf(rank)));
      assert.equal((await run.local(rank, 'lap')).value, '2');
    }
    await run.close();
  });

  it('stop the ranks of breakpointRanks only, and fewer where their condition says so', async () => {
    const attributes = { breakpointRanks: '1-2' };
    const places = [
      ring(),
      ring({ condition: '$rank >= 2 && lap == 2' }),
      ring({ condition: 'rank == 0 || lap == 3' }),
    ];
    for (const [i, expected] of [{ 1: 1, 2: 1 }, { 2: 2 }, { 1: 3, 2: 3 }].entries()) {
      const { run, stop } = await DebugRun.stopped({
        mpi: 'openmpi',
        program: 'ring',
        attributes,
        breakpoints: [places[i]!],
      });
      const threadIds = new Set([stop.threadId]);
      while (threadIds.size < Object.keys(expected).length) threadIds.add((await run.nextStop()).threadId);
      const ranks = await ranksAt(run, 'ring.c');
      const laps = await Promise.all(ranks.map(async (rank) => [rank, Number((await run.local(rank, 'lap')).value)]));
      assert.deepEqual(Object.fromEntries(laps), expected);
      await run.close();
    }
  });

  it('stop the ranks of breakpointRanks only in Fortran too', async () => {
    const place = { source: 'variables.f90', marker: 'all variables set', condition: 'rank < 3 .or. rank > 4' };
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables-f90',
      attributes: { breakpointRanks: '2-3' },
      breakpoints: [place],
    });
    assert.equal(stop.threadId, await run.threadOf(2));
    assert.deepEqual(await ranksAt(run, 'variables.f90'), [2]);
    await run.close();
  });

  it('refuse a set that cannot be meant, in one sentence', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [ring()] });
    const [breakpoint] = await run.setBreakpoints('ring.c', [ring({ condition: '$rank in 3-1' })]);
    assert.equal(breakpoint?.verified, false);
    assert.match(breakpoint.message ?? '', /runs backwards/);
    await run.close();
  });
});

describe('hit counts', () => {
  for (const [hitCondition, laps] of [
    ['2', [2, 3]],
    ['== 2', [2]],
    ['% 2', [2]],
  ] as const) {
    it(`"${hitCondition}" counts for each rank by itself`, async () => {
      const run = await DebugRun.launch({ mpi: 'mpich', program: 'ring', breakpoints: [ring({ hitCondition })] });
      for (const lap of laps) {
        const stop = await run.nextStop();
        assert.equal(stop.allThreadsStopped, true);
        for (const rank of [0, 1, 2, 3]) assert.equal((await run.local(rank, 'lap')).value, String(lap));
        await run.client.request('continue', { threadId: stop.threadId });
      }
      assert.equal(await run.terminated(), 0);
      assert.equal(run.stops, laps.length);
      await run.close();
    });
  }

  it('that cannot be meant are refused', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [ring()] });
    const [breakpoint] = await run.setBreakpoints('ring.c', [ring({ hitCondition: 'often' })]);
    assert.equal(breakpoint?.verified, false);
    assert.match(breakpoint.message ?? '', /"often" is not a hit count: write a number/);
    await run.close();
  });
});

describe('log points', () => {
  it('say which rank came by, and stop nobody', async () => {
    const logMessage = 'lap {lap} \\{of\\} {$rank == 0 ? 100 : 200}, token {token}';
    const run = await DebugRun.launch({ mpi: 'openmpi', program: 'ring', breakpoints: [ring({ logMessage })] });
    const lines = await logged(run);
    assert.equal(run.stops, 0);
    // The program prints the same numbers itself.
    const told = run.client.outputText('stdout').matchAll(/rank (\d) of 4, lap (\d): token (\d+)/g);
    const expected = [...told].map(([, rank, lap, token]) => {
      return `[${rank}] lap ${lap} {of} ${rank === '0' ? 100 : 200}, token ${token}\n`;
    });
    assert.equal(expected.length, 12);
    assert.deepEqual(lines.map(({ output }) => output).sort(), expected.sort());
    assert.equal(lines[0]?.line, markerLine('ring.c', 'token arrived'));
    assert.equal(lines[0]?.source?.path, join(samples, 'ring.c'));
    await run.close();
  });

  it('tell what cannot be read, and obey condition and hit count', async () => {
    const rules = { logMessage: '{*(int *)8}', condition: '$rank == 1', hitCondition: '3' };
    const run = await DebugRun.launch({ mpi: 'mpich', program: 'ring', breakpoints: [ring(rules)] });
    assert.deepEqual(
      (await logged(run)).map(({ output }) => output),
      ['[1] <Cannot access memory at address 0x8>\n'],
    );
    await run.close();
  });

  it('let a step over them end where it would without them', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      ranks: 2,
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const [inside] = await run.setBreakpoints('variables.c', [
      { source: 'variables.c', marker: 'in visit', logMessage: 'visited' },
    ]);
    assert.equal(inside?.verified, true, inside?.message);
    for (let steps = 0; steps < 2; steps++) {
      await run.client.request('next', { threadId: stop.threadId });
      await run.nextStops([0, 1], 'step');
    }
    const line = markerLine('variables.c', 'all variables set') + 2;
    assert.deepEqual([(await run.topFrame(0)).line, (await run.topFrame(1)).line], [line, line]);
    assert.match(run.client.outputText('console'), /^\[1\] visited$/m);
    await run.close();
  });

  it('do not stop ranks where Fortran says .false., and stop them where it says .true.', async () => {
    const place = { source: 'variables.f90', marker: 'all variables set', condition: 'rank > 0 .and. rank < 3' };
    const { run, stop } = await DebugRun.stopped({ mpi: 'mpich', program: 'variables-f90', breakpoints: [place] });
    const threads = new Set([stop.threadId, (await run.nextStop()).threadId]);
    assert.deepEqual(threads, new Set([await run.threadOf(1), await run.threadOf(2)]));
    await run.close();
  });

  it('of Fortran know variables with the names of intrinsics', async () => {
    const place = {
      source: 'variables.f90',
      marker: 'all variables set',
      condition: 'rank > 0 .and. $rank in 0-2',
      logMessage: 'rank {rank} of {size}: {numbers(5)}',
    };
    const run = await DebugRun.launch({ mpi: 'mpich', program: 'variables-f90', breakpoints: [place] });
    assert.deepEqual((await logged(run)).map(({ output }) => output).sort(), [
      '[1] rank 1 of 4: 51\n',
      '[2] rank 2 of 4: 52\n',
    ]);
    await run.close();
  });
});

describe('where breakpoints can be', () => {
  it('breakpointLocations are the lines with code', async () => {
    const { run } = await DebugRun.stopped({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [ring()] });
    const text = readFileSync(join(samples, 'ring.c'), 'utf8').split('\n');
    const { breakpoints } = await run.client.request<DebugProtocol.BreakpointLocationsResponse['body']>(
      'breakpointLocations',
      { source: { path: join(samples, 'ring.c') }, line: 1, endLine: text.length },
    );
    const lines = breakpoints.map(({ line }) => line);
    assert.ok(lines.includes(markerLine('ring.c', 'token arrived')));
    assert.ok(lines.includes(text.findIndex((line) => line.includes('MPI_Init')) + 1));
    for (const line of lines) assert.match(text[line - 1] ?? '', /\w|[{}]/, `line ${line} has no code`);
    const none = await run.client.request<DebugProtocol.BreakpointLocationsResponse['body']>('breakpointLocations', {
      source: { path: join(samples, 'no-such-file.c') },
      line: 1,
    });
    assert.deepEqual(none.breakpoints, []);
    await run.close();
  });

  it('function breakpoints take conditions and hit counts, and say where they are', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'variables',
      breakpoints: [{ source: 'variables.c', marker: 'all variables set' }],
    });
    const { breakpoints } = await run.client.request<DebugProtocol.SetFunctionBreakpointsResponse['body']>(
      'setFunctionBreakpoints',
      { breakpoints: [{ name: 'visit', condition: '$rank in 1,3' }, { name: 'no_such_function' }] },
    );
    assert.deepEqual(
      breakpoints.map(({ verified }) => verified),
      [true, false],
    );
    assert.equal(breakpoints[0]?.source?.name, 'variables.c');
    assert.match(breakpoints[1]?.message ?? '', /not found in the program or the libraries/);
    await run.client.request('continue', { threadId: stop.threadId });
    const hit = await run.nextStop();
    assert.equal(hit.reason, 'function breakpoint');
    assert.deepEqual(hit.hitBreakpointIds, [breakpoints[0]?.id]);
    await run.close();
  });

  for (const mpi of allMpis) {
    it(`MPI's own names are known before ${mpi} is loaded`, async () => {
      const rules = {
        condition: '$rank == 1 && ocean != MPI_COMM_WORLD && lap == MPI_SUCCESS + 2',
        logMessage: 'lap {lap}: {MPI_ANY_SOURCE < 0}',
      };
      const run = await DebugRun.launch({ mpi, program: 'ring', ranks: 2, breakpoints: [ring(rules)] });
      assert.deepEqual(
        (await logged(run)).map(({ output }) => output),
        ['[1] lap 2: 1\n'],
      );
      await run.close();
    });

    it(`of the dozens of libraries that ${mpi} opens, only those are read at once that can have one`, async () => {
      const source = 'communicators.c';
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'communicators', ranks: 2 }, async () => {
        const last = markerLine(source, 'all communicators made');
        const lines = Array.from({ length: 12 }, (_, i) => ({ line: last - i, condition: `${last - i} == ${last}` }));
        const path = join(samples, source);
        await run.client.request('setBreakpoints', { source: { path }, breakpoints: lines });
        // That it may be in one of these makes gdb look at them.
        await run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'no_such_function' }] });
      });
      const { reason } = await run.nextStop();
      assert.equal(reason, 'breakpoint');
      // All of them, with a dozen breakpoints placed anew for each, took gdb 14 s.
      assert.match((await run.evaluate('-exec show auto-solib-add', 'repl')).result, /is off/);
      await run.close();
    });

    it(`code that is loaded later is waited for, and told when it is there, with ${mpi}`, async () => {
      const run = await DebugRun.open();
      const options = { mpi, program: 'dlopened', ranks: 2 };
      const launched = run.launch(options, async () => {
        const [breakpoint] = await run.setBreakpoints('dlopened-part.c', [
          { source: 'dlopened-part.c', marker: 'all communicators made' },
        ]);
        assert.equal(breakpoint?.verified, false);
        assert.match(
          breakpoint.message ?? '',
          /^nothing that is loaded now was compiled from a file named dlopened-part.c; a library/,
        );
        return breakpoint.id;
      });
      const event = await run.client.waitFor<DebugProtocol.BreakpointEvent>('breakpoint');
      assert.equal(event.body.reason, 'changed');
      assert.equal(event.body.breakpoint.verified, true);
      assert.equal(event.body.breakpoint.line, markerLine('dlopened-part.c', 'all communicators made'));
      await launched;
      const stop = await run.nextStop();
      assert.equal(stop.reason, 'breakpoint');
      assert.deepEqual(stop.hitBreakpointIds, [event.body.breakpoint.id]);
      await run.close();
    });
  }
});
