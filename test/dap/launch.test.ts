import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { parseRankSet } from '../../plugin-api/answers/rank-set';
import { allMpis, launchers, markerLine, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

/** Out of lines that tell nothing but ranks that exited with status 0, of one rank or of several. */
function ranksThatExited(lines: readonly string[]): number[] {
  const sets = lines.map((line) => /^ranks? (\S+) exited with status 0$/.exec(line)?.[1] ?? assert.fail(line));
  return parseRankSet(sets.join()).flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i),
  );
}

const tokenArrived = { source: 'ring.c', marker: 'token arrived' };

for (const mpi of allMpis) {
  describe(`launching 4 ranks of ${mpi}`, () => {
    it('stops all of them at a breakpoint with one event, and shows each rank its own values', async () => {
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'ring', breakpoints: [tokenArrived] });
      assert.equal(stop.reason, 'breakpoint');
      assert.equal(stop.allThreadsStopped, true);
      assert.equal(stop.description, 'ranks 0-3: breakpoint');
      assert.equal(run.stops, 1);

      const names = (await run.threads()).map(({ name }) => name);
      assert.deepEqual(
        names.filter((name) => /^rank \d$/.test(name)),
        ['rank 0', 'rank 1', 'rank 2', 'rank 3'],
      );
      assert.deepEqual(names, names.toSorted(), 'ascending rank, the first thread of a rank first');
      assert.ok(
        names.every((name) => /^rank \d( · thread \d+( \(.+\))?)?$/.test(name)),
        names.join('\n'),
      );

      for (const rank of [0, 1, 2, 3]) {
        const frame = await run.topFrame(rank);
        assert.equal(frame.name, 'main');
        assert.equal(basename(frame.source?.path ?? ''), 'ring.c');
        assert.equal(frame.line, markerLine('ring.c', 'token arrived'));
        const locals = await run.locals(frame.id);
        const value = (name: string): string | undefined => locals.find((each) => each.name === name)?.value;
        assert.equal(value('rank'), String(rank));
        assert.equal(value('size'), '4');
        assert.equal(value('ocean'), `MPI_Comm "ocean" · rank ${rank} of 4`);
      }
      await run.close();
    });

    it('runs to the end: each rank is told, then the launcher, then the session ends', async () => {
      const run = await DebugRun.launch({ mpi, program: 'ring' });
      assert.equal(await run.terminated(), 0);
      const { client } = run;
      const lines = client
        .outputText('stdout')
        .split('\n')
        .filter((line) => line !== '');
      const [commandLine] = lines;
      // As one would type it.
      assert.match(commandLine ?? '', new RegExp(`^\\S*${launchers[mpi].command}( --oversubscribe)? -n 4 \\S*/ring$`));
      assert.deepEqual(ranksThatExited(lines.filter((line) => /^ranks? /.test(line))), [0, 1, 2, 3]);
      const printed = lines.filter((line) => line.startsWith('['));
      assert.equal(printed.length, 12);
      for (const line of printed) {
        const match = /^\[(\d)\] rank (\d) of 4, lap \d: token \d+$/.exec(line);
        assert.ok(match, line);
        assert.equal(match[1], match[2], 'the rank before the line is the rank that printed it');
      }
      const last = client.events.slice(-2).map(({ event }) => event);
      assert.deepEqual(last, ['exited', 'terminated']);
      assert.equal(client.events.filter(({ event }) => event === 'terminated').length, 1);
      await run.close();
    });

    it("tells the status of a rank that exits, and the launcher's own", async () => {
      const run = await DebugRun.launch({ mpi, program: 'exit-3', attributes: { args: ['2'] } });
      const status = await run.terminated();
      assert.match(run.client.outputText('console'), /^rank 2 exited with status 3$/m);
      assert.notEqual(status, 0);
      await run.close();
    });

    it('stops every rank at main with stopOnEntry', async () => {
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'ring', attributes: { stopOnEntry: true } });
      assert.equal(stop.reason, 'entry');
      assert.equal(stop.allThreadsStopped, true);
      for (const rank of [0, 1, 2, 3]) assert.equal((await run.topFrame(rank)).name, 'main');
      await run.close();
    });

    it('stops the ranks of each program at its beginning with stopOnEntry', async () => {
      const programs = ['variables', 'variables-f90', 'ring'].map((name) => ({
        program: samplePath(mpi, name),
        ranks: name === 'ring' ? 1 : 2,
      }));
      const attributes = { program: undefined, ranks: undefined, programs, stopOnEntry: true };
      const run = await DebugRun.launch({ mpi, program: 'variables', attributes });
      await run.nextStops([0, 1, 2, 3, 4], 'entry');
      const tops = await Promise.all([0, 1, 2, 3, 4].map(async (rank) => (await run.topFrame(rank)).source?.name));
      assert.deepEqual(tops, ['variables.c', 'variables.c', 'variables.f90', 'variables.f90', 'ring.c']);
      // Not in gfortran's main, which is in the same file.
      assert.notEqual((await run.topFrame(2)).name, 'main');
      await run.close();
    });

    it('stops at a crash, naming signal and rank, and shows where', async () => {
      const { run, stop } = await DebugRun.stopped({ mpi, program: 'segv', attributes: { args: ['3'] } });
      assert.equal(stop.reason, 'exception');
      assert.equal(stop.description, 'rank 3: SIGSEGV (Segmentation fault)');
      assert.equal(stop.threadId, await run.threadOf(3));
      assert.equal((await run.topFrame(3)).name, 'read_depth');
      // The MPI libraries handle the signal, print a stack and raise it again.
      const ended = run.terminated();
      await run.continueUntil(ended);
      assert.match(run.client.outputText('console'), /^rank 3 was ended by SIGSEGV$/m);
      await run.close();
    });
  });
}

describe('breakpoints', () => {
  it('are verified where there is code, moved to it, and refused where there is none', async () => {
    const run = await DebugRun.open();
    const launched = run.launch({ mpi: 'mpich', program: 'ring', ranks: 2, breakpoints: [tokenArrived] });
    await launched;
    await run.nextStop();
    const missing = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
      source: { path: '/nowhere/absent.c' },
      breakpoints: [{ line: 3 }],
    });
    assert.equal(missing.breakpoints[0]?.verified, false);
    assert.ok(missing.breakpoints[0]?.message);
    await run.close();
  });

  it('stop the ranks for which their condition holds', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'ring',
      breakpoints: [{ ...tokenArrived, condition: 'rank == 2 && lap == 3' }],
    });
    assert.equal(stop.threadId, await run.threadOf(2));
    assert.equal(stop.description, 'rank 2: breakpoint');
    assert.equal((await run.local(2, 'lap')).value, '3');
    await run.close();
  });

  it('in Fortran take conditions on a variable with the name of an intrinsic', async () => {
    const { run, stop } = await DebugRun.stopped({
      mpi: 'mpich',
      program: 'heat',
      breakpoints: [{ source: 'heat.f90', marker: 'rod has warmed', condition: 'rank == 2' }],
    });
    assert.equal(stop.description, 'rank 2: breakpoint');
    assert.equal((await run.local(2, 'rank')).value, '2');
    await run.close();
  });

  it('on functions stop every rank there', async () => {
    const run = await DebugRun.open();
    const launched = run.client.request('launch', {
      program: samplePath('mpich', 'variables'),
      ranks: 2,
    });
    await Promise.race([run.client.waitFor('initialized'), launched]);
    await run.client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'measure_depth' }] });
    await run.client.request('configurationDone');
    const stop = await run.nextStop();
    assert.equal(stop.reason, 'function breakpoint');
    assert.equal((await run.topFrame(0)).name, 'measure_depth');
    await run.close();
  });
});
