/** mpidbg is suspended while it holds ranks: they go on, and it looks at them again when it does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually, isFree, processState, tracerOf } from '../support/process-state';
import { cli, runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

/** In a group of its own, as a shell does: the terminal could let it go on, so that it can be stopped. */
const asShellsDo = ['-e', 'setpgrp(0, 0); exec @ARGV or die'];

for (const mpi of eitherMpi('suspended')) {
  describe(`ranks of ${mpi} that mpidbg holds`, () => {
    let job: SampleJob;
    before(async () => (job = await SampleJob.startWaiting(mpi, 'threads', { ranks: 2 })));
    after(() => job.kill());

    for (const [command, signal] of [
      ['stacks', 'SIGTSTP'],
      ['hang', 'SIGTTOU'],
      ['hang', 'SIGSTOP'],
      ['show', 'SIGSTOP'],
    ] as const) {
      it(`go on while ${command} is stopped by ${signal}, which then looks again`, async () => {
        const target = ['--launcher', String(job.launcherPid)];
        const question = command === 'show' ? ['MPI_COMM_WORLD'] : [];
        const args = [...asShellsDo, process.execPath, cli, command, ...target, ...question];
        const looking = spawn('perl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
        let output = '';
        looking.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        const ended = once(looking, 'close');
        try {
          await eventually('a rank is held', () => job.pids.some((pid) => tracerOf(pid) !== 0));
          looking.kill(signal);
          await eventually('mpidbg is stopped', () => processState(looking.pid!) === 'T');
          await eventually('the ranks are free', () => job.pids.every(isFree));
        } finally {
          looking.kill('SIGCONT');
        }
        assert.deepEqual(await ended, [0, null], output);
        assert.match(output, /^\(2 ranks were held for /m);
        assert.ok(job.pids.every(isFree));
      });
    }

    it('are said to be stopped by a signal where one is', async () => {
      const [, stopped] = job.pids;
      process.kill(stopped!, 'SIGSTOP');
      try {
        await eventually('the rank is stopped', () => processState(stopped!) === 'T');
        const target = ['--launcher', String(job.launcherPid)];
        const stacks = await runCli(['stacks', ...target]);
        assert.match(stacks.stdout, /^rank 1: stopped by a signal, until SIGCONT$/m);
        const info = await runCli(['info', ...target]);
        assert.match(info.stdout, /^ +1 .*, stopped by a signal, until SIGCONT$/m);
        assert.doesNotMatch(info.stdout, /^\S* +0 .*stopped by/m);
        assert.equal(processState(stopped!), 'T');
      } finally {
        process.kill(stopped!, 'SIGCONT');
      }
    });
  });
}
