/** Libraries that gdb would not find, or would take for those that the ranks have: a relative name, a rebuilt file. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { PluginJob, PluginProgram, tickLine } from '../support/plugin-job';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

async function breakInTick(run: DebugRun, plugins: PluginProgram, library: string): Promise<DebugProtocol.Breakpoint> {
  const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
    source: { path: plugins.source(library) },
    breakpoints: [{ line: tickLine }],
  });
  return breakpoints[0]!;
}

for (const mpi of eitherMpi('changed files')) {
  describe(`breakpoints in changed and relative libraries with ${mpi}`, () => {
    let plugins: PluginProgram;
    beforeEach(() => void (plugins = new PluginProgram(mpi)));
    afterEach(() => plugins.close());

    it('a session in another folder, which has a file of the same name: that of the ranks counts', async () => {
      const job = await PluginJob.start(mpi, plugins);
      try {
        job.changeFiles();
        const run = await DebugRun.open({}, ['env', '-C', plugins.elsewhere]);
        await run.attach({ launcherPid: job.launcher.pid! });
        await run.nextStop();
        const said = run.client.events
          .map(({ body }) => (body as { output?: string } | undefined)?.output ?? '')
          .join('');
        assert.match(said, /overwritten\.so was overwritten after ranks 0-1 had loaded it/);

        const lost = await breakInTick(run, plugins, 'overwritten');
        assert.equal(lost.verified, false);
        assert.match(lost.message ?? '', /overwritten\.so was overwritten after ranks 0-1 had loaded it/);
        const kept = await breakInTick(run, plugins, 'replaced');
        assert.deepEqual([kept.verified, kept.line], [true, tickLine], kept.message);

        const relative = await breakInTick(run, plugins, 'relative');
        assert.deepEqual([relative.verified, relative.line], [true, tickLine], relative.message);
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        const stop = await run.nextStops([0, 1], 'breakpoint');
        assert.deepEqual(stop.hitBreakpointIds, [relative.id]);
        for (const rank of [0, 1]) {
          const frame = await run.topFrame(rank);
          assert.equal(frame.name, 'relative_tick');
          const { result } = await run.evaluate('relative_lap', 'watch', frame.id);
          assert.equal(result, job.truth.get('relative_lap'));
        }
        await run.close();
      } finally {
        await job.end();
      }
    });

    it('a library that is loaded by a relative name: hit at its first call; after a rebuild and a restart, the new one is', async () => {
      const run = await DebugRun.open({}, ['env', '-C', plugins.elsewhere]);
      const attributes = { program: plugins.program, args: [plugins.folder], cwd: plugins.folder };
      let pending: DebugProtocol.Breakpoint | undefined;
      await run.launch({ mpi, program: 'ring', ranks: 2, attributes }, async () => {
        pending = await breakInTick(run, plugins, 'relative');
      });
      assert.equal(pending?.verified, false);
      for (const lap of ['42', '43']) {
        const stop = await run.nextStops([0, 1], 'breakpoint');
        assert.deepEqual(stop.hitBreakpointIds, [pending?.id]);
        for (const rank of [0, 1]) {
          const { result } = await run.evaluate('relative_lap', 'watch', (await run.topFrame(rank)).id);
          assert.equal(result, lap);
        }
        plugins.replace('relative', 43);
        if (lap === '42') await run.client.request('restart');
      }
      await run.close();
    });
  });
}
