import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dataEvaluateExpression } from '../../adapter/gdb/mi/data-manipulation';
import { stackListVariables } from '../../adapter/gdb/mi/stack-manipulation';
import { innermostFrames } from '../../adapter/stacks/gdb-stack';
import { eventually } from '../support/process-state';
import { allMpis, launchers, samplePath } from '../support/sample-job';
import { LaunchedSample, left } from './job-support';

for (const mpi of allMpis) {
  describe(`launch under ${mpi}`, () => {
    let sample: LaunchedSample;

    afterEach(async () => {
      const pids = sample.job.ranks.map(({ pid }) => pid);
      await sample.job.release();
      assert.deepEqual(left(pids), [], 'ranks are left');
    });

    it('holds every rank, stops all at one breakpoint, reads locals, steps, and runs to the end', async () => {
      sample = await LaunchedSample.launch(mpi, 'ring');
      const { job } = sample;
      assert.deepEqual(
        job.ranks.map(({ number, state, worldSize }) => ({ number, state, worldSize })),
        [0, 1, 2, 3].map((number) => ({ number, state: 'starting', worldSize: 4 })),
      );

      await sample.breakAt('ring.c', 'token arrived');
      const stops = await sample.stopsAfter(() => job.start({ stopAtEntry: false }));
      for (const { rank, thread, stop } of stops) {
        assert.deepEqual([stop.reason, stop.breakpoints.length, rank.state], ['breakpoint', 1, 'stopped']);
        assert.equal(rank.current, thread);
        assert.equal(thread, rank.threads[0], 'the thread that called main');
        assert.ok(rank.threads.every(({ state }) => state === 'stopped'));
        const frames = await innermostFrames(thread);
        const main = frames.find((frame) => frame.function === 'main');
        assert.ok(main !== undefined, 'main is on the stack');
        assert.equal((await dataEvaluateExpression(thread, main.level, 'rank')).text, String(rank.number));
        const variables = await stackListVariables(thread, main.level, 'c');
        assert.equal(variables.find(({ name }) => name === 'rank')?.value?.text, String(rank.number));
      }
      assert.equal(new Set(job.threads.map(({ id }) => id)).size, job.threads.length);

      const steps = await sample.stopsAfter(() => job.step(job.ranks, 'over'));
      assert.deepEqual(new Set(steps.map(({ stop }) => stop.reason)), new Set(['step']));

      await sample.clearBreakpoints('ring.c');
      await job.continue(job.ranks);
      assert.deepEqual(await sample.ended(), { exitCode: 0, signal: undefined });
      assert.deepEqual(
        job.ranks.map(({ state, end }) => ({ state, end })),
        Array(4).fill({ state: 'exited', end: { exitCode: 0 } }),
      );
      assert.deepEqual(sample.messages, []);
    });

    it('stops a C program at main', async () => {
      sample = await LaunchedSample.launch(mpi, 'ring', { ranks: 2 });
      const stops = await sample.stopsAfter(() => sample.job.start({ stopAtEntry: true }));
      for (const { thread, stop } of stops) {
        assert.equal(stop.reason, 'entry');
        assert.equal((await innermostFrames(thread))[0]?.function, 'main');
      }
    });

    it('stops a Fortran program at its main program', async () => {
      sample = await LaunchedSample.launch(mpi, 'heat', { ranks: 2 });
      const stops = await sample.stopsAfter(() => sample.job.start({ stopAtEntry: true }));
      for (const { thread, stop } of stops) {
        assert.equal(stop.reason, 'entry');
        assert.match((await innermostFrames(thread))[0]?.fullName ?? '', /heat\.f90$/);
      }
    });

    it('interrupts a rank that runs while others stay stopped', async () => {
      sample = await LaunchedSample.launch(mpi, 'hang', { ranks: 2 });
      const { job } = sample;
      await job.start({ stopAtEntry: false });
      await sample.until('rank 1 hangs', () => /rank 1 hangs/.test(sample.text(1)));
      const [rank0, rank1] = job.ranks;
      assert.ok(rank0 !== undefined && rank1 !== undefined);
      const [pause] = await sample.stopsAfter(() => job.interrupt([rank1]), [rank1]);
      assert.equal(pause?.stop.reason, 'pause');
      assert.equal(rank0.state, 'running');
      const frames = (await innermostFrames(rank1.threads[0]!)).map((frame) => frame.function);
      assert.ok(frames.includes('do_something_else') && frames.includes('main'), frames.join(' < '));

      await sample.stopsAfter(() => job.interrupt(job.ranks), [rank0]);
      const waiting = (await innermostFrames(rank0.threads[0]!)).map((frame) => frame.function);
      assert.ok(
        waiting.some((name) => /MPI_Barrier$/.test(name ?? '')),
        waiting.join(' < '),
      );
      assert.ok(waiting.includes('main'));
    });

    it('tells how each rank ended', async () => {
      sample = await LaunchedSample.launch(mpi, 'exit-3');
      await sample.job.start({ stopAtEntry: false });
      const end = await sample.ended();
      assert.deepEqual(sample.job.ranks[1]?.end, { exitCode: 3 });
      assert.ok(sample.job.ranks.every(({ state }) => state === 'exited'));
      assert.notEqual(end.exitCode, 0);
    });

    it('stops at a crash before MPI_Init, and tells the signal that ended the rank', async () => {
      sample = await LaunchedSample.launch(mpi, 'crash-before-init');
      const { job } = sample;
      const crashing = job.ranks.filter(({ number }) => number === 1);
      const [stop] = await sample.stopsAfter(() => job.start({ stopAtEntry: false }), crashing);
      assert.deepEqual(stop?.stop.signal, { name: 'SIGSEGV', meaning: 'Segmentation fault' });
      // UCX, below MPICH, catches the signal, prints a stack, and raises it again.
      job.on('stopped', ({ rank }) => void job.continue([rank]));
      await job.continue(crashing);
      await sample.ended();
      assert.ok(job.ranks.every(({ state }) => state === 'exited'));
      // gdb 13 forgets the ends of some ranks that the launcher kills all at once; never that of the first.
      assert.deepEqual(crashing[0]?.end, { signal: 'SIGSEGV' });
    });

    it('shows a rank that follows a null pointer where it did', async () => {
      sample = await LaunchedSample.launch(mpi, 'segv');
      const { job } = sample;
      const crashing = job.ranks.filter(({ number }) => number === 1);
      const [stop] = await sample.stopsAfter(() => job.start({ stopAtEntry: false }), crashing);
      assert.equal(stop?.stop.signal?.name, 'SIGSEGV');
      assert.equal((await innermostFrames(stop.thread))[0]?.function, 'read_depth');
    });

    it('leaves what a rank can see of its own process as it is without a debugger', async () => {
      // Two ranks for binding and descriptors, one for the names of the variables: launchers join long lines of several.
      for (const [ranks, ...args] of [[2], [1, '--variables']] as [number, ...string[]][]) {
        const { command, args: launcherArgs, env } = launchers[mpi];
        const alone = spawnSync(
          command,
          [...launcherArgs, '-n', String(ranks), samplePath(mpi, 'child-watcher'), ...args],
          { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
        ).stdout;
        sample = await LaunchedSample.launch(mpi, 'child-watcher', {
          ranks,
          args,
          launcherArgs,
          env: env as Record<string, string>,
        });
        await sample.job.start({ stopAtEntry: false });
        await sample.ended();
        for (let rank = 0; rank < ranks; rank += 1) {
          const seen = lookedAround(sample.text(rank), rank);
          assert.deepEqual(seen, lookedAround(alone, rank));
          assert.match(seen.line, /waitpid ECHILD/);
        }
      }
    });

    it('ends the whole tree of the launcher when it is released in the middle', async () => {
      sample = await LaunchedSample.launch(mpi, 'hang', { ranks: 2 });
      const { job } = sample;
      await job.start({ stopAtEntry: false });
      await sample.until('rank 1 hangs', () => /rank 1 hangs/.test(sample.text(1)));
      await job.release();
      const mine = job.ranks.map(({ pid }) => pid);
      await eventually('no rank is left', () => left(mine).length === 0);
      assert.deepEqual(sample.end, {});
    });
  });
}

/** The line and the variables that child-watcher printed, without what is the launcher's own marking of output. */
function lookedAround(text: string, rank: number): { line: string; variables: string[] } {
  const line = new RegExp(`rank ${rank}: (waitpid.*)`).exec(text)?.[1] ?? '';
  const variables = (new RegExp(`rank ${rank}: variables (.*)`).exec(text)?.[1] ?? '').split(' ');
  return {
    line: line.replace(/, variables \d+/, ''),
    variables: variables.filter((name) => name !== 'OMPI_MCA_orte_tag_output').sort(),
  };
}
