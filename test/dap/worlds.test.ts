/** Ranks that come to a session while it runs, as those of MPI_Comm_spawn do. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ValueOverRanks } from '../../plugin-api/answers/value-over-ranks';
import type { OverlayDocument } from '../../plugin-api/overlays/records';
import { formatRankSet, parseRanks } from '../../plugin-api/answers/rank-set';
import { openWorkshop } from '../support/compile';
import { allMpis, launchers, samplePath } from '../support/sample-job';
import { DebugRun, type Place } from './debug-run';
import { nameOf, ranksOf, stopped, type RankOfWorld } from './world-ranks';

const atMain: Place = { source: 'family.c', marker: 'child before MPI_Init' };
const made: Place = { source: 'family.c', marker: 'family made' };

const children = ['0.1 0', '0.1 1'];
const all = ['0 0', '0 1', ...children];

async function valuesOf(run: DebugRun, expression: string): Promise<unknown[]> {
  const { values } = await run.client.request<ValueOverRanks>('mpidbg/value', { expression });
  return values.map(({ ranks, text }) => [ranks, text]);
}

/** With what the variable `number` of each is. */
async function allStopped(run: DebugRun): Promise<RankOfWorld[]> {
  const ranks = await stopped(run, all);
  assert.deepEqual(await valuesOf(run, 'number'), [
    ['0', '100'],
    ['1', '101'],
    ['0.1:0', '200'],
    ['0.1:1', '201'],
  ]);
  return ranks;
}

/** Each process tells its number in the job and its pid: what the session says of them is held against it. */
function assertPids(ranks: readonly RankOfWorld[], text: string): void {
  const told = [...text.matchAll(/process (\d+) is number (\d+)/g)].map(([, pid, number]) => [
    Number(number),
    Number(pid),
  ]);
  const known = ranks.map(({ world, rank, pid }) => [(world === '0' ? 100 : 200) + rank!, pid]);
  assert.deepEqual(new Map(known as [number, number][]), new Map(told as [number, number][]));
}

for (const mpi of allMpis) {
  const { command, args: launcherArgs, env } = launchers[mpi];

  describe(`ranks that a job of ${mpi} spawns`, () => {
    const workshop = openWorkshop();
    let launcher: ChildProcess | undefined;
    after(() => workshop.close());
    afterEach(async () => {
      if (launcher?.pid === undefined || launcher.exitCode !== null || launcher.signalCode !== null) return;
      const ended = once(launcher, 'exit');
      launcher.kill('SIGTERM');
      await ended;
    });

    const launchFamily = (breakpoints: Place[], attributes: object): Promise<DebugRun> =>
      DebugRun.launch({ mpi, program: 'family', ranks: 2, breakpoints, attributes: { launcherArgs, ...attributes } });

    it('are in a session that launched it, from before MPI_Init on, and know nothing of the debugger', async () => {
      const run = await launchFamily([atMain, made], {});
      await stopped(run, children);
      const names = (await run.threads()).map(({ name }) => name);
      for (const rank of [0, 1]) {
        assert.ok(names.includes(`rank ${rank}`) && names.includes(`rank ${rank} of world 0.1`), names.join());
      }
      const { threadIds } = (await ranksOf(run)).find((rank) => nameOf(rank) === children[0])!;
      const [frame] = await run.frames(threadIds[0]!);
      assert.equal((await run.locals(frame!.id)).find(({ name }) => name === 'number')?.value, '100');

      // Alone: those of MPICH here have no parents that wait for them.
      for (const rank of (await ranksOf(run)).filter(({ world }) => world === '0.1'))
        await run.client.request('continue', { threadId: rank.threadIds[0], singleThread: true });
      const ranks = await allStopped(run);
      await run.client.request('continue', { threadId: threadIds[0] });
      assert.equal(await run.terminated(), 0);
      const printed = run.client.outputText('stdout');
      assertPids(ranks, printed);
      assert.doesNotMatch(printed, /has MPIDBG_/);
      for (const [, world, said] of printed.matchAll(/^\[(?:(\S+):)?\d\] (parent|child)/gm))
        assert.equal(world, said === 'child' ? '0.1' : undefined, printed);
      for (const who of ['parent', 'child', 'executed'])
        assert.equal(printed.split(`${who} has told its environment`).length, 3, `${who}: ${printed}`);
      const lines = printed.matchAll(/^ranks? (\S+)(?: of world (\S+))? exited with status 0$/gm);
      const ended = [...lines].flatMap(([, ranks = '', world = '']) =>
        parseRanks(world === '' ? ranks : `${world}:${ranks}`),
      );
      const numbers = ended.map(({ ranks, world = '0' }) => `${world}:${formatRankSet(ranks)}`).sort();
      // Those that end together share a line.
      assert.match(numbers.join(), /^0\.1:0(-1|,0\.1:1),0:0(-1|,0:1)$/);
      await run.close();
    });

    it('are collected as the others are', async () => {
      const run = await launchFamily([made], { collector: { calls: true } });
      await stopped(run, all);
      const { ranks } = await run.client.request<OverlayDocument>('mpidbg/calls');
      const called = ranks.map((rank) => {
        assert.ok(!('error' in rank) && Array.isArray(rank.calls), JSON.stringify(rank));
        return [rank.world, rank.rank, rank.calls.flatMap(({ calls }) => calls.map(({ name }) => name)).slice(0, 2)];
      });
      const calls = ['MPI_Init', 'MPI_Comm_rank'];
      assert.deepEqual(called, [
        ['0', 0, calls],
        ['0', 1, calls],
        ['0.1', 0, calls],
        ['0.1', 1, calls],
      ]);
      await run.close();
    });

    it('are told by their worlds from others that have the same number', async () => {
      const told = { ...made, condition: '$rank >= 0', logMessage: 'is in the set: {$rank in 0,0.1:1}' };
      const run = await launchFamily([told], { breakpointRanks: '0-1,0.1:1' });
      assert.equal(await run.terminated(), 0);
      const printed = run.client.outputText('console');
      assert.deepEqual([...printed.matchAll(/^\[(\S+)\] is in the set: (\d)$/gm)].map(([line]) => line).sort(), [
        '[0.1:1] is in the set: 1',
        '[0] is in the set: 1',
        '[1] is in the set: 0',
      ]);
      assert.equal(printed.split('$rank in a condition is a number').length, 2, printed);
      await run.close();
    });

    it('stop at main where all do', async () => {
      const run = await launchFamily([], { stopOnEntry: true });
      await stopped(run, ['undefined 0', 'undefined 1']);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      await stopped(run, children);
      await run.close();
    });

    it('come to a session that was attached to it', async () => {
      const gate = join(workshop.directory, `gate-${mpi}`);
      launcher = spawn(command, [...launcherArgs, '-n', '2', samplePath(mpi, 'family'), gate], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      const lines = createInterface({ input: launcher.stdout! });
      lines.on('line', (line) => (printed += `${line}\n`));
      while (printed.split('parent has told').length < 3) await once(lines, 'line');
      const run = await DebugRun.open();
      await run.attach({ launcherPid: launcher.pid! }, () => run.setBreakpoints('family.c', [made]));
      await stopped(run, ['undefined 0', 'undefined 1']);
      await run.client.request('continue', { threadId: await run.threadOf(0) });
      writeFileSync(gate, '');
      const isThere = ({ state }: RankOfWorld): boolean => state !== 'starting';
      for (let since = 0; (await ranksOf(run)).filter(isThere).length < 4;) {
        const event = await run.client.waitFor('thread', () => true, { since });
        since = run.client.events.indexOf(event) + 1;
      }
      for (const end of ['children', 'end']) writeFileSync(`${gate}.${end}`, '');
      const ranks = await allStopped(run);
      // The job may end before the answer comes.
      const exit = once(launcher, 'exit') as Promise<[number]>;
      await run.client.request('disconnect', {});
      run.adapter.stdin?.end();
      const [status] = await exit;
      assert.equal(status, 0);
      assertPids(ranks, printed);
      await run.ended();
    });
  });
}
