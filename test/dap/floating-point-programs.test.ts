/** The exception filter Floating Point in programs of each language, in threads and libraries, launched and attached to; and what a detach leaves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FloatPrograms, trapLine } from '../deaths/float-programs';
import { eventually } from '../support/process-state';
import { eitherMpi, launchers, markerLine, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

const filters = {
  filters: ['crash'],
  filterOptions: [{ filterId: 'floating-point', condition: 'invalid' }],
};
const setFilter = (run: DebugRun): Promise<unknown> => run.client.request('setExceptionBreakpoints', filters);
const clearFilter = (run: DebugRun): Promise<unknown> =>
  run.client.request('setExceptionBreakpoints', { filters: ['crash'] });

for (const mpi of eitherMpi('floating point programs')) {
  describe(`the filter Floating Point under ${mpi}`, () => {
    const programs = new FloatPrograms(mpi);
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-filter-'));
    before(() => programs.build());
    after(() => {
      programs.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const [program, args, text] of [
      ['floats', ['openmp'], `0.0/0.0 at ${trapLine('floats.c', 'openmp')} in sum[i] = zero / zero (zero = 0)`],
      ['floats', ['blas'], `0.0*inf at ${trapLine('blas.c', 'dot')} in sum += `],
      [
        'floats',
        ['later', './liblater.so'],
        `0.0/0.0 at ${trapLine('later.c', 'later')} in double quotient = x / x (x = 0)`,
      ],
      ['floats-cxx', [], `0.0/0.0 at ${trapLine('floats.cpp', 'cxx')} in return mass / volume (mass = 0, volume = 0)`],
      [
        'floats-cxx',
        ['header'],
        `0.0/0.0 in std::divides<double>::operator(), called at ${trapLine('floats.cpp', 'header')} in return std::divides<double>()(mass, volume) (mass = 0, volume = 0)`,
      ],
      [
        'floats-fortran',
        [],
        `0.0/0.0 at ${trapLine('floats.f90', 'fortran')} in u(i) = u(i) / scale (u(i) = 0, i = 1, scale = 0)`,
      ],
    ] as const)
      it(`stops in ${program} ${args.join(' ')}`, async () => {
        const run = await DebugRun.open();
        const attributes = { program: join(programs.folder, program), args, cwd: programs.folder };
        await run.launch({ mpi, program: 'nans', ranks: 2, attributes }, () => setFilter(run));
        const stop = await run.nextStop();
        assert.ok(stop.description?.startsWith(`rank 1: ${text}`), stop.description);
        await run.close();
      });

    it('traps nothing in a process that is forked', async () => {
      const run = await DebugRun.open();
      const attributes = { program: join(programs.folder, 'floats'), args: ['forked'] };
      await run.launch({ mpi, program: 'nans', ranks: 2, attributes }, () => setFilter(run));
      assert.equal(await run.terminated(), 0);
      // The child has made a NaN.
      assert.match(run.client.outputText('stdout'), /rank 1: 7 handled 0/);
      assert.equal(run.stops, 0);
      await run.close();
    });

    it('leaves the program what it traps itself, also since the filter is set', async () => {
      const run = await DebugRun.open();
      const attributes = { program: join(programs.folder, 'floats'), args: ['own-trap'] };
      await run.launch({ mpi, program: 'nans', ranks: 2, attributes }, () => setFilter(run));
      const stop = await run.nextStop();
      assert.match(stop.description ?? '', /^rank 1: 0\.0\/0\.0 at /);
      await run.client.request('continue', { threadId: stop.threadId });
      assert.notEqual(await run.terminated(), 0);
      // Its handler says so, and ends the rank.
      assert.match(run.client.outputText('stdout'), /^(\[1\] )?handled$/m);
      await run.close();
    });

    for (const where of ['in-handler', 'in-loader'])
      for (const clears of [false, true])
        it(`is ${clears ? 'cleared' : 'set'} in a rank that waits ${where}, from which the registers come back`, async () => {
          const go = join(folder, `${where}-${clears}`);
          const run = await DebugRun.open();
          const attributes = {
            program: join(programs.folder, 'floats'),
            args: [where, go, './liblater.so'],
            cwd: programs.folder,
          };
          await run.launch({ mpi, program: 'nans', ranks: 2, attributes }, () =>
            clears ? setFilter(run) : clearFilter(run),
          );
          await eventually('rank 1 waits', () => existsSync(`${go}.waits`));
          await (clears ? clearFilter(run) : setFilter(run));
          writeFileSync(go, '');
          if (!clears) {
            const stop = await run.nextStop();
            assert.match(stop.description ?? '', /^rank 1: 0\.0\/0\.0 at /);
            await run.client.request('continue', { threadId: stop.threadId });
          }
          assert.equal(await run.terminated(), 0);
          assert.match(run.client.outputText('stdout'), /rank 1: -?nan handled 0 enabled 0/);
          await run.close();
        });

    for (const leaves of [false, true])
      it(`${leaves ? 'leaves nothing behind when it detaches from' : 'stops'} ranks that were attached to`, async () => {
        const go = join(folder, `go-${leaves}`);
        const { command, args, env } = launchers[mpi];
        const words = [...args, '-n', '2', samplePath(mpi, 'nans'), go];
        const job = spawn(command, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
        let output = '';
        job.stdout.on('data', (part: Buffer) => (output += String(part)));
        const ended = once(job, 'close');
        const run = await DebugRun.open();
        await eventually('both ranks wait', () => existsSync(`${go}.0`) && existsSync(`${go}.1`));
        await run.attach({ launcherPid: job.pid! }, () => setFilter(run));

        await run.nextStops([0, 1], 'attached');
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        if (leaves) await run.close();
        writeFileSync(go, '');
        if (!leaves) {
          const stop = await run.nextStop();
          const text = `inf - inf at nans.c:${markerLine('nans.c', 'worker')} in ofThread = limit - limit (limit = inf)`;
          assert.equal(stop.description, `rank 1: ${text}`);
          await run.close();
        }
        const [status] = (await ended) as [number];
        assert.equal(status, 0);
        // What the handler would have counted, and the flags: as in a run without mpidbg.
        assert.match(output, /rank 1: -?nan -?nan -?nan inf inf 2 flags \w+ handled 0/);
      });
  });
}
