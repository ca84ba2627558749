/** However the command ends, the ranks it had attached to go on as before, and nothing of it stays behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attach } from '../../adapter/job-sources/attach';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { leftBreakpoints } from '../support/left-breakpoints';
import { eventually, hasEnded, isFree, parentOf, processState, tracerOf } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

const cli = join(__dirname, '..', '..', 'dist', 'cli.js');

const areFree = (pids: readonly number[]): boolean => pids.every(isFree);

function assertNoBreakpoints(pids: readonly number[]): void {
  assert.deepEqual(pids.flatMap(leftBreakpoints), []);
}

for (const mpi of eitherMpi('leaves ranks alone')) {
  describe(`ranks of ${mpi}`, () => {
    let job: SampleJob;
    before(async () => {
      job = await SampleJob.startWaiting(mpi, 'communicators');
    });
    after(() => job.finish());

    it('are free after an answer', async () => {
      const { status, stdout } = await runCli(['show', 'ocean', '--launcher', String(job.launcherPid)]);
      assert.match(stdout, /^ocean {2}0-3 {2}MPI_Comm "ocean" · rank 0-3 of 4$/m);
      assert.match(stdout, /4 ranks were held for \d+\.\d+ s/);
      assert.equal(status, 0);
      assert.ok(areFree(job.pids));
      assertNoBreakpoints(job.pids);
    });

    it('are free after a timeout', async () => {
      const { status, stdout, stderr } = await runCli([
        ...['show', 'ocean', '--launcher', String(job.launcherPid), '--timeout', '1'],
        ...['--gdb', join(__dirname, '..', 'support', 'slow-gdb.sh')],
      ]);
      assert.match(stderr, /gave up after 1 second;/);
      assert.equal(stdout, '');
      assert.equal(status, 2);
      await eventually('the ranks are free', () => areFree(job.pids));
    });

    it('are free after an answer by a gdb that a script starts, which leaves nothing behind', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
      const [gdb, left] = [join(folder, 'gdb'), join(folder, 'left')];
      writeFileSync(gdb, `#!/bin/sh\nsleep 1000 &\necho $! > ${left}\nexec gdb "$@"\n`, { mode: 0o755 });
      const { status, stdout } = await runCli(['show', 'ocean', '--launcher', String(job.launcherPid), '--gdb', gdb]);
      assert.match(stdout, /^ocean {2}0-3 {2}MPI_Comm "ocean" · rank 0-3 of 4$/m);
      assert.equal(status, 0);
      assert.ok(areFree(job.pids));
      assert.ok(hasEnded(Number(readFileSync(left, 'utf8'))));
      rmSync(folder, { recursive: true });
    });

    it('are told without one that another debugger has, which is named with the reason', async () => {
      const [, traced = 0] = job.pids;
      const other = await attach({ pids: [traced] });
      try {
        const why = `process ${traced} \\(communicators\\) is already being traced by process ${tracerOf(traced)} \\(gdb\\)`;
        const target = ['--launcher', String(job.launcherPid)];
        for (const [command, ofOthers] of [
          [['show', 'ocean'], 'ocean {2}0,2-3 {2}MPI_Comm "ocean" · rank \\(0,2,3\\) of 4'],
          [['print', 'rank'], ' *3 {2}3'],
          [['stacks'], '0,2-3 .*main \\(communicators.c:\\d+\\)'],
          [['info'], 'MPI +0,2-3 {2}.*'],
          [['queues'], '(0|Nothing is pending).*'],
        ] as const) {
          const { stdout, status } = await runCli([...command, ...target]);
          assert.match(stdout, new RegExp(`^${ofOthers}$`, 'm'));
          assert.match(stdout, new RegExp(`^ *1 +${why}`, 'm'));
          assert.equal(status, 1);
        }
        const { stdout } = await runCli(['hang', ...target, '--json']);
        const { verdict, sentence } = JSON.parse(stdout) as HangDocument;
        assert.equal(verdict, 'unknown');
        assert.match(sentence, new RegExp(`Rank 1 cannot be asked: ${why}`));
        const alone = await runCli(['show', 'ocean', '--pid', String(traced)]);
        assert.match(alone.stderr, new RegExp(`^mpidbg: ${why}`));
        assert.equal(alone.status, 2);
      } finally {
        await other.release();
      }
      assert.ok(areFree(job.pids));
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
      it(`are free after ${signal} while they are held`, async () => {
        const command = spawn(process.execPath, [cli, 'info', '--launcher', String(job.launcherPid)], {
          stdio: 'ignore',
        });
        const ended = once(command, 'exit');
        await eventually('a rank is held', () => job.pids.some((pid) => tracerOf(pid) !== 0));
        const gdbs = job.pids.flatMap((pid) => tracerOf(pid) || []);
        // Each gdb's guardian, which may let ranks go on when gdb has ended.
        const guardians = gdbs.flatMap((pid) => parentOf(pid) ?? []);
        command.kill(signal);
        await ended;
        await eventually('the ranks are free', () => areFree(job.pids));
        await eventually('its gdb and their guardians are gone', () => [...gdbs, ...guardians].every(hasEnded));
        assertNoBreakpoints(job.pids);
      });
    }

    it('that were stopped before stay stopped', async () => {
      const [stopped] = job.pids as [number];
      process.kill(stopped, 'SIGSTOP');
      await eventually('it is stopped', () => processState(stopped) === 'T');
      const { status } = await runCli(['show', 'ocean', '--launcher', String(job.launcherPid)]);
      assert.equal(status, 0);
      await eventually('it is stopped again', () => processState(stopped) === 'T');
      process.kill(stopped, 'SIGCONT');
      await eventually('the ranks are free', () => areFree(job.pids));
    });
  });
}
