/** Libraries that gdb would not find, or would take for those that the ranks have: a relative name, a rebuilt file. */
import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { PluginJob, PluginProgram, tickLine, ways } from '../support/plugin-job';
import { eitherMpi } from '../support/sample-job';
import { DebugRun } from './debug-run';

async function breakInTick(run: DebugRun, plugins: PluginProgram, library: string): Promise<DebugProtocol.Breakpoint> {
  const { breakpoints } = await run.client.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
    source: { path: plugins.source(library) },
    breakpoints: [{ line: tickLine }],
  });
  return breakpoints[0]!;
}

const removeBreakpoints = (run: DebugRun, plugins: PluginProgram, library: string): Promise<unknown> =>
  run.client.request('setBreakpoints', { source: { path: plugins.source(library) }, breakpoints: [] });

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
        for (const name of ['replaced', 'relative', ...ways]) {
          const set = await breakInTick(run, plugins, name);
          assert.deepEqual([set.verified, set.line], [true, tickLine], set.message);
          await run.client.request('continue', { threadId: await run.threadOf(0) });
          const stop = await run.nextStops([0, 1], 'breakpoint');
          assert.deepEqual(stop.hitBreakpointIds, [set.id]);
          for (const rank of [0, 1]) {
            const frame = await run.topFrame(rank);
            assert.equal(frame.name, `${name}_tick`);
            const { result } = await run.evaluate(`${name}_lap`, 'watch', frame.id);
            assert.equal(result, job.truth.get(`${name}_lap`));
          }
          await removeBreakpoints(run, plugins, name);
        }

        // Their C library was replaced.
        const late = await breakInTick(run, plugins, 'late');
        assert.equal(late.verified, false);
        assert.match(late.message ?? '', /libraries that ranks 0-1 load later are seen when they stop next/);
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        const { ranks } = await run.client.request<{ ranks: { pid: number }[] }>('mpidbg/ranks');
        await plugins.loadLate(ranks.map(({ pid }) => pid));
        await run.client.request('pause', { threadId: await run.threadOf(0) });
        await run.nextStop();
        await run.client.request('continue', { threadId: await run.threadOf(0) });
        assert.deepEqual((await run.nextStops([0, 1], 'breakpoint')).hitBreakpointIds, [late.id]);
        assert.equal((await run.topFrame(1)).name, 'late_tick');
        await run.close();
      } finally {
        await job.end();
      }
    });

    for (const [when, loading] of [
      ['stand', 'files'],
      ['run', 'in all ways'],
    ] as const)
      it(`files that change while the ranks ${when}: nothing is read of, or set in, what was overwritten`, async () => {
        const job = await PluginJob.start(mpi, plugins, loading);
        try {
          const run = await DebugRun.open();
          await run.attach({ launcherPid: job.launcher.pid! });
          await run.nextStop();
          const proceed = async (): Promise<unknown> =>
            run.client.request('continue', { threadId: await run.threadOf(0) });
          assert.equal((await breakInTick(run, plugins, 'overwritten')).verified, true);
          if (when === 'run') await proceed();
          const frames = when === 'stand' ? await Promise.all([0, 1].map(async (rank) => run.topFrame(rank))) : [];
          job.changeFiles();
          // A user who rebuilds looks at values next, before anything runs.
          for (const { id } of frames)
            await assert.rejects(
              run.evaluate('overwritten_lap', 'watch', id),
              /No symbol "overwritten_lap" .*; it may be in a file that has changed since the rank loaded it/,
            );
          // Before they run on, too: an instruction of a breakpoint would be in the middle of one of the new code.
          if (when === 'stand') await proceed();
          const set = await breakInTick(run, plugins, 'replaced');
          assert.deepEqual([set.verified, set.line], [true, tickLine], set.message);
          const lost = await breakInTick(run, plugins, 'overwritten');
          assert.equal(lost.verified, false);
          assert.match(lost.message ?? '', /overwritten\.so was overwritten after ranks 0-1 had loaded it/);
          const said = run.client.events
            .map(({ body }) => (body as { output?: string } | undefined)?.output ?? '')
            .flatMap((output) => /(\w+)\.so was overwritten after/.exec(output)?.[1] ?? []);
          assert.deepEqual(said, ['overwritten']);
          const stop = await run.nextStops([0, 1], 'breakpoint');
          assert.deepEqual(stop.hitBreakpointIds, [set.id]);
          for (const rank of [0, 1]) {
            const frame = await run.topFrame(rank);
            assert.equal(frame.name, 'replaced_tick');
            for (const name of ['replaced', 'deleted', 'touched', 'program']) {
              const { result } = await run.evaluate(`${name}_lap`, 'watch', frame.id);
              assert.equal(result, job.truth.get(`${name}_lap`), name);
            }
            await assert.rejects(
              run.evaluate('overwritten_lap', 'watch', frame.id),
              /No symbol "overwritten_lap" .*; it may be in a file that has changed since the rank loaded it/,
            );
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

    it('a library that is rebuilt, closed and loaded again: hit in each build', async () => {
      const run = await DebugRun.open({}, ['env', '-C', plugins.elsewhere]);
      const attributes = { program: plugins.program, args: [plugins.folder, 'reloads'], cwd: plugins.folder };
      await run.launch({ mpi, program: 'ring', ranks: 2, attributes }, () => breakInTick(run, plugins, 'relative'));
      for (const lap of [42, 43, 44]) {
        await run.nextStops([0, 1], 'breakpoint');
        for (const rank of [0, 1]) {
          const { result } = await run.evaluate('relative_lap', 'watch', (await run.topFrame(rank)).id);
          assert.equal(result, String(lap));
        }
        plugins.replace('relative', lap + 1);
        await run.client.request('continue', { threadId: await run.threadOf(0) });
      }
      await run.close();
    });

    it('libraries in memory, of descriptors, of other namespaces and unlinked at once: hit at their first call', async () => {
      const run = await DebugRun.open({}, ['env', '-C', plugins.elsewhere]);
      const attributes = { program: plugins.program, args: [plugins.folder, ...ways], cwd: plugins.folder };
      const pending = new Map<number | undefined, string>();
      await run.launch({ mpi, program: 'ring', ranks: 2, attributes }, async () => {
        for (const name of ways) pending.set((await breakInTick(run, plugins, name)).id, name);
      });
      for (const name of ways) {
        const stop = await run.nextStops([0, 1], 'breakpoint');
        assert.deepEqual(
          stop.hitBreakpointIds?.map((id) => pending.get(id)),
          [name],
        );
        const { result } = await run.evaluate(`${name}_lap`, 'watch', (await run.topFrame(1)).id);
        assert.equal(result, '42');
        await run.client.request('continue', { threadId: await run.threadOf(0) });
      }
      await run.close();
    });
  });
}
