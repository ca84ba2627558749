/** Variables that modules of a cluster set for their own programs: our gdb and perl start, and the ranks have them as they are. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkshop, type Workshop } from '../support/compile';
import { runCli } from '../support/run-cli';
import { eitherMpi, SampleJob } from '../support/sample-job';
import { LaunchedSample } from './job-support';

/** With each of these a perl does not start. */
const ofPerl = { PERL5OPT: '-Mno::such::module', PERL5LIB: '/no such folder' };

for (const mpi of eitherMpi('foreign environment')) {
  describe(`a foreign environment with ${mpi}`, () => {
    let workshop: Workshop;
    before(() => (workshop = openWorkshop()));
    after(() => workshop.close());

    it('does not keep our gdb and perl from starting', async () => {
      const job = await SampleJob.startWaiting(mpi, 'threads', { ranks: 2 });
      try {
        // gdb needs the real one.
        workshop.compile('libgmp.so.10', 'int unused;', 'gcc', ['-shared', '-fPIC']);
        // As Perl does this one.
        const ofNoPerl = join(workshop.directory, 'perl');
        mkdirSync(ofNoPerl);
        writeFileSync(join(ofNoPerl, 'libcrypt.so.1'), '');
        const asked = [
          ['info', { ...ofPerl, PYTHONHOME: '/nonexistent' }],
          ['info', { LD_LIBRARY_PATH: workshop.directory }],
          ...(['info', 'hang'] as const).map((command) => [command, { LD_LIBRARY_PATH: ofNoPerl }] as const),
          ['hang', ofPerl],
          ...(['info', 'hang'] as const).map((command) => [command, { PERL_UNICODE: 'SDA', PERLIO: ':crlf' }] as const),
          ['info', { LD_SHOW_AUXV: '1' }],
          // With each of these values a Python does not start.
          ['info', { PYTHONUTF8: 'x' }],
          ['info', { PYTHONMALLOC: 'x' }],
          ['info', { PYTHONHASHSEED: '-1' }],
          ['info', { PYTHONIOENCODING: 'x' }],
        ] as const;
        for (const [command, env] of asked) {
          const target = ['--launcher', String(job.launcherPid)];
          const { status, stderr } = await runCli([command, ...target], undefined, env);
          assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, `${command} ${JSON.stringify(env)}`);
        }
      } finally {
        await job.kill();
      }
    });

    it('is that of the ranks of a job that is launched', async () => {
      const before = { ...process.env };
      // No machine has this locale.
      const foreign = { ...ofPerl, LC_ALL: 'xx_YY.UTF-8' };
      let sample: LaunchedSample | undefined;
      try {
        Object.assign(process.env, foreign);
        sample = await LaunchedSample.launch(mpi, 'ring', { ranks: 2 });
        for (const { pid } of sample.job.ranks) {
          const environment = readFileSync(join('/proc', String(pid), 'environ'), 'utf8').split('\0');
          for (const [name, value] of Object.entries(foreign))
            assert.ok(environment.includes(`${name}=${value}`), name);
          assert.ok(!environment.some((each) => each.startsWith('PERL_BADLANG=')));
          assert.deepEqual(
            environment.filter((each) => each.startsWith('MPIDBG_') && !(each.split('=', 1)[0]! in before)),
            [],
          );
        }
        assert.doesNotMatch(sample.outputs.map(({ text }) => text).join(''), /locale/);
      } finally {
        for (const name of Object.keys(foreign)) {
          if (before[name] === undefined) delete process.env[name];
          else process.env[name] = before[name];
        }
        await sample?.job.release();
      }
    });
  });
}

describe('a gdb that does not start in any environment', () => {
  it('is named with the variables that may be the cause', async () => {
    const { status, stderr } = await runCli(
      ['stacks', '--pid', String(process.pid), '--gdb', '/bin/false'],
      undefined,
      {
        PYTHONHOME: '/nonexistent',
      },
    );
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^mpidbg: \/bin\/false cannot be used as gdb: it ended with status 1 \(PYTHONHOME may be the cause: start mpidbg without\): /,
    );
  });
});
