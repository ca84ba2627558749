import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { requestErrorOf } from '../../adapter/dap/client/error-translation';
import { launch } from '../../adapter/job-sources/launch';
import { StartError } from '../../adapter/job/start-error';
import { eventually } from '../support/process-state';
import { allMpis, launchers, samplePath, type Mpi } from '../support/sample-job';
import { LaunchedSample, left } from './job-support';

const root = join(__dirname, '..', '..');

for (const mpi of allMpis) {
  describe(`launch options under ${mpi}`, () => {
    it('start several programs, with arguments untouched, and the file for rank 0’s standard input', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
      const stdin = join(directory, 'input');
      writeFileSync(stdin, 'for rank 0\n');
      const sample = await LaunchedSample.launch(mpi, 'ring', {
        stdin,
        programs: [
          { program: '/bin/cat', args: [], ranks: 1 },
          { program: '/bin/echo', args: ['a b', 'c"d', '$HOME', ':x'], ranks: 2 },
        ],
      });
      await sample.job.start({ stopAtEntry: false });
      assert.deepEqual(await sample.ended(), { exitCode: 0, signal: undefined });
      rmSync(directory, { recursive: true });
      assert.equal(sample.text(0), 'for rank 0\n');
      assert.equal(sample.text(1), 'a b c"d $HOME :x\n');
      assert.equal(sample.text(2), 'a b c"d $HOME :x\n');
    });

    it('hold 16 ranks in two gdbs and stop all at one breakpoint', async () => {
      const sample = await LaunchedSample.launch(mpi, 'ring', { ranks: 16 });
      const { job } = sample;
      assert.equal(job.gdbs.length, 2);
      await sample.breakAt('ring.c', 'token arrived');
      const stops = await sample.stopsAfter(() => job.start({ stopAtEntry: false }));
      assert.deepEqual(new Set(stops.map(({ stop }) => stop.reason)), new Set(['breakpoint']));
      assert.deepEqual(
        job.ranks.map(({ number }) => number),
        [...Array(16).keys()],
      );
      await job.release();
      assert.deepEqual(left(job.ranks.map(({ pid }) => pid)), []);
    });

    it('work for an ordinary user, and leave nothing of a killed debugger', async () => {
      const isRoot = process.getuid?.() === 0;
      const user = isRoot ? { uid: 65534, gid: 65534 } : {};
      // A TMPDIR of ours may be out of the user's reach.
      const env = { ...process.env, HOME: '/tmp', TMPDIR: '/tmp' };
      const debuggerProcess = spawn(
        process.execPath,
        ['--require', 'tsx/cjs', join(root, 'test', 'tools', 'hold.ts'), 'launch', mpi, 'hang'],
        { cwd: root, ...user, env, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const pids: number[] = [];
      for await (const line of createInterface({ input: debuggerProcess.stdout })) {
        pids.push(...((JSON.parse(line) as { pids?: number[] }).pids ?? []));
        break;
      }
      assert.equal(pids.length, 2);
      assert.equal(left(pids).length, 2);
      debuggerProcess.kill('SIGKILL');
      await eventually('nothing is left', () => left(pids).length === 0);
    });
  });
}

describe('launches that cannot work', () => {
  const good = { program: samplePath('openmpi', 'ring'), args: [], ranks: 2 };
  const refused: [what: string, programs: (typeof good)[], launcher: string, says: RegExp][] = [
    [
      'a program that is missing',
      [{ ...good, program: '/nonexistent/x' }],
      '',
      /there is no program \/nonexistent\/x: build it/,
    ],
    ['a folder', [{ ...good, program: root }], '', /is a folder: name the program in it/],
    [
      'a file that cannot be executed',
      [{ ...good, program: __filename }],
      '',
      /is not executable: name the built program/,
    ],
    [
      'no ranks',
      [{ ...good, ranks: 0 }],
      '',
      /0 is not a valid number of ranks: set "ranks" to a number from 1 to 1024$/,
    ],
    ['negative ranks', [{ ...good, ranks: -1 }], '', /-1 is not a valid number of ranks/],
    [
      '10000 ranks',
      [{ ...good, ranks: 10_000 }],
      '',
      /10000 ranks are too many for one host: set "ranks" to a number from 1 to 1024$/,
    ],
    ['a launcher that is missing', [good], 'nompirun', /there is no launcher nompirun/],
    ['a launcher that fails', [good], '/bin/false', /the launcher \/bin\/false ended with status 1 before all ranks/],
    ['a launcher that starts nothing', [good], '/bin/true', /ended with status 0 before all ranks were started/],
  ];
  for (const [what, programs, launcher, says] of refused) {
    it(`say so: ${what}`, async () => {
      const starting = launch({ programs, launcher: launcher || launchers.openmpi.command, cwd: root });
      await assert.rejects(
        starting,
        (error) => error instanceof StartError && says.test(requestErrorOf(error)?.message ?? ''),
      );
    });
  }

  const unstarted: Record<Mpi, string[]> = {
    openmpi: ['--mca', 'plm_rsh_agent', '/bin/false', '--host', '198.51.100.1:2'],
    // If it cannot start its proxies, it waits for them for ever, with and without mpidbg.
    mpich: ['-launcher', 'nosuch', '-hosts', '198.51.100.1:2'],
  };
  for (const mpi of allMpis) {
    it(`say so: another host that ${mpi} cannot start anything on`, async () => {
      const launcher = launchers[mpi].command;
      const starting = launch({ programs: [good], launcher, launcherArgs: unstarted[mpi], cwd: root });
      await assert.rejects(
        starting,
        (error) => error instanceof StartError && /ended with status [1-9]\d* before all ranks/.test(error.message),
      );
    });
  }
});
