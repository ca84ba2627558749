/** Too few descriptors, too little stack: every command says so, and nothing else of what it could not look at. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SampleJob } from '../support/sample-job';

const cli = join(__dirname, '..', '..', 'dist', 'cli.js');
const told = 'no more files may be opened here: raise the limit, for example with "ulimit -n 1024"';

describe('a limit of open files', () => {
  let job: SampleJob;
  before(async () => (job = await SampleJob.startWaiting('openmpi', 'communicators')));
  after(() => job.finish());

  function info(descriptors: number): string {
    const command = `ulimit -n ${descriptors}; exec "${process.execPath}" "${cli}" info --launcher ${job.launcherPid}`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    return stdout + stderr;
  }

  it('that lets no process be looked at', () => {
    assert.equal(info(24), `mpidbg: ${told}\n`);
  });

  for (const descriptors of [32, 48, 64, 80, 96, 128])
    it(`of ${descriptors}: all is answered, or what is not says why`, () => {
      const text = info(descriptors);
      if (text === `mpidbg: ${told}\n`) return;
      assert.match(text, /^ranks +0-3 on /m);
      assert.match(text, new RegExp(`^layout +proved by|${told}`, 'm'));
    });

  it('below which there are more processes on this machine', () => {
    assert.match(info(256), /^layout +proved by/m);
  });
});

describe('a limit of the stack', () => {
  it('that may be the end of a gdb is named', () => {
    const command = `ulimit -s 512; exec "${process.execPath}" "${cli}" stacks --pid ${process.pid} --gdb /bin/false`;
    const { stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    assert.match(stderr, /it ended with status 1 \(the limit "ulimit -s" of 512 KiB may be the cause: raise it\)/);
  });
});
