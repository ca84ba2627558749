/** Commands that are ended, killed or stopped at any moment: the ranks go on as before, with no breakpoint of ours. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { leftBreakpoints } from '../support/left-breakpoints';
import { eventually, isFree, processState } from '../support/process-state';
import { randomNumbers } from '../support/random-numbers';
import { cli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';

/** MPIDBG_FUZZ_SEEDS: more of them, for a long run. */
const signalsPerMpi = Number(process.env.MPIDBG_FUZZ_SEEDS ?? 8);
/** Milliseconds; a look takes about as long. */
const latest = 2500;

const commands = [
  ['info'],
  ['stacks'],
  ['show', 'MPI_COMM_WORLD'],
  ['handles'],
  ['queues'],
  ['hang'],
  ['print', 'argc'],
];
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL', 'SIGQUIT'] as const;
const suspensions = ['SIGSTOP', 'SIGTSTP'] as const;
/** In a group of its own, as a shell does: the terminal could let it go on, so that it can be stopped. */
const asShellsDo = ['-e', 'setpgrp(0, 0); exec @ARGV or die'];

for (const mpi of eitherMpi('random signals')) {
  describe(`ranks of ${mpi}`, () => {
    let job: SampleJob;
    before(async () => (job = await SampleJob.startWaiting(mpi, 'communicators', { ranks: 2 })));
    after(() => job.finish());

    it(`are free after ${signalsPerMpi} signals to commands that look at them, at any moment`, async () => {
      const random = randomNumbers(mpi.length * 104_729);
      const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)]!;
      for (let count = 0; count < signalsPerMpi; count++) {
        const signal = pick([...endings, ...suspensions, ...suspensions]);
        const command = pick(commands);
        const what = `${count}: ${signal} to ${command.join(' ')}`;
        const args = [...asShellsDo, process.execPath, cli, ...command, '--launcher', String(job.launcherPid)];
        const looking = spawn('perl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
        let said = '';
        for (const stream of [looking.stdout, looking.stderr])
          stream.on('data', (text: Buffer) => (said += String(text)));
        const ended = once(looking, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
        await pause(random(latest));
        looking.kill(signal);
        const isSuspended = suspensions.some((each) => each === signal);
        if (isSuspended) {
          await eventually(`${what}: it is stopped`, () => ['T', 'Z', undefined].includes(processState(looking.pid!)));
          await eventually(`${what}: the ranks are free`, () => job.pids.every(isFree));
          looking.kill('SIGCONT');
        }
        const [status] = await ended;
        if (isSuspended) assert.equal(status, 0, `${what}: ${said}`);
        await eventually(`${what}: the ranks are free at its end`, () => job.pids.every(isFree));
        assert.deepEqual(job.pids.flatMap(leftBreakpoints), [], what);
      }
    }).timeout(180_000 + signalsPerMpi * 30_000);
  });
}
