/** The exception filter Floating Point: where it stops, what it says, and that the program computes what it does without. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { NanDocument } from '../../plugin-api/answers/nan-records';
import { eitherMpi, launchers, markerLine, type Mpi, samplePath } from '../support/sample-job';
import { DebugRun } from './debug-run';

const line = (marker: string): string => `nans.c:${markerLine('nans.c', marker)}`;

/** What the ranks print without a debugger, sorted. */
function plainOutput(mpi: Mpi): string[] {
  const { command, args, env } = launchers[mpi];
  const printed = execFileSync(command, [...args, '-n', '2', samplePath(mpi, 'nans')], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return linesOf(printed);
}

function linesOf(printed: string): string[] {
  return (printed.match(/rank \d: .*/g) ?? []).sort();
}

async function setFloats(run: DebugRun, condition?: string): Promise<DebugProtocol.Breakpoint> {
  const filterOptions = condition === undefined ? [] : [{ filterId: 'floating-point', condition }];
  const body = await run.client.request<DebugProtocol.SetExceptionBreakpointsResponse['body']>(
    'setExceptionBreakpoints',
    { filters: ['crash'], filterOptions },
  );
  return body?.breakpoints?.at(-1) ?? { verified: false };
}

for (const mpi of eitherMpi('floating point')) {
  describe(`floating point exceptions under ${mpi}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'mpidbg-nans-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('stop in every thread and in libraries, say what was computed, and leave the result as it is', async () => {
      const run = await DebugRun.open();
      await run.launch({ mpi, program: 'nans', ranks: 2 }, async () => {
        assert.deepEqual(await setFloats(run, 'nonsense').then(({ verified }) => verified), false);
        assert.equal((await setFloats(run, 'invalid zero overflow, $rank in 1')).verified, true);
      });
      const expected = [
        `inf - inf at ${line('worker')} in ofThread = limit - limit (limit = inf)`,
        `0.0/0.0 at ${line('main')} in double residual = r / norm (r = 0, norm = 0)`,
      ];
      for (const text of expected) {
        const stop = await run.nextStop();
        assert.equal(stop.description, `rank 1: ${text}`);
        assert.equal(stop.reason, 'exception');
        const { description } = await run.client.request<DebugProtocol.ExceptionInfoResponse['body']>('exceptionInfo', {
          threadId: stop.threadId,
        });
        assert.equal(description, text);
        await run.client.request('continue', { threadId: stop.threadId });
      }
      for (const text of [
        `3.0/0.0 at ${line('zero')} in infinite = 3 / zero (zero = 0)`,
        // Since it has stopped again, invalid operations of the first thread stop it again. The library's function has a
        // name where its symbols are installed.
        `libm.so.6, called at ${line('library')} in inLibrary = log(minus) (minus = -1)`,
        `1e+200*1e+200 at ${line('overflow')} in over = big * big (big = 1e+200)`,
      ]) {
        const stop = await run.nextStop();
        assert.ok(stop.description?.startsWith('rank 1: ') && stop.description.endsWith(text), stop.description);
        const { found } = await run.client.request<NanDocument>('mpidbg/nan', { ranks: '1' });
        assert.ok(found.some(({ first, value }) => first === 'grid[5][2]' && value === 'NaN'));
        await run.client.request('continue', { threadId: stop.threadId });
      }
      assert.equal(await run.terminated(), 0);
      assert.deepEqual(linesOf(run.client.outputText('stdout')), plainOutput(mpi));
      await run.close();
    });

    it('are set and cleared while ranks run, also from launch.json', async () => {
      const go = join(folder, 'go');
      const run = await DebugRun.open();
      const attributes = { args: [go], floatingPoint: ['zero'] };
      await run.launch({ mpi, program: 'nans', ranks: 2, attributes }, async () => {
        await setFloats(run);
      });
      assert.equal((await setFloats(run, 'invalid')).verified, true);
      writeFileSync(go, '');
      const stop = await run.nextStop();
      assert.match(stop.description ?? '', /^rank 1: inf - inf at /);
      await setFloats(run, '$rank in 0');
      // Once the filter was set, that it is not set counts, whatever launch.json says.
      await setFloats(run);
      await run.client.request('continue', { threadId: stop.threadId });
      assert.equal(await run.terminated(), 0);
      assert.deepEqual(linesOf(run.client.outputText('stdout')), plainOutput(mpi));
      await run.close();
    });
  });
}
