/** Names that a terminal obeys, that turn text around, or that nobody sees: escaped for people, whole for programs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { patienceMs } from '../support/patience';
import { cli, runCli, showOfRankZero } from '../support/run-cli';
import { oddName, oddNameVisible, unseen } from '../support/odd-name';
import { eitherMpi, SampleJob } from '../support/sample-job';

/** What mpidbg writes to a terminal of its own, whose lines end with CR and LF. */
function onTerminal(args: readonly string[]): string {
  const words = [process.execPath, cli, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const { stdout } = spawnSync('script', ['-qec', words.join(' '), '/dev/null'], {
    encoding: 'utf8',
    timeout: patienceMs,
  });
  return stdout.replaceAll('\r\n', '\n');
}

function takesFrame([command = '']: readonly string[]): boolean {
  return ['show', 'print'].includes(command);
}

for (const mpi of eitherMpi('odd names')) {
  describe(`mpidbg and odd names of ${mpi}`, () => {
    let job: SampleJob;
    let folder: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'mpidbg-odd-'));
      const args = [Buffer.from(oddName).toString('hex')];
      job = await SampleJob.startWaiting(mpi, 'odd-names', { ranks: 2, args });
    });
    after(async () => {
      await (job as SampleJob | undefined)?.kill();
      rmSync(folder, { recursive: true });
    });

    const target = (): string[] => ['--launcher', String(job.launcherPid)];

    it('are escaped in the terminal, whatever the command', async () => {
      for (const command of [
        ['show', 'named', 'type', 'win', 'info', '--full', '--frame', 'main'],
        ['handles'],
        ['stacks', '--full'],
        ['info'],
      ]) {
        const { stdout, stderr, status } = await runCli([...command, ...target()]);
        assert.equal(status, 0, stderr);
        assert.doesNotMatch(stdout + stderr, unseen, command.join(' '));
        if (['show', 'handles'].includes(command[0]!))
          assert.ok(stdout.includes(`MPI_Comm "${oddNameVisible}"`), stdout);
      }
    });

    it('are escaped on a terminal in what programs read, and in expressions', () => {
      const odd = `named.text == "${oddName}"`;
      for (const words of [
        ['show', 'named', odd, '--json'],
        ['print', 'named.text', '*named.text', odd, '--json'],
        ['print', 'named.text', odd],
        ['handles', 'comm', '--json'],
        ['report', '-o', '-'],
      ]) {
        const output = onTerminal(
          [...words, ...target(), '--frame', 'main'].slice(0, takesFrame(words) ? undefined : -2),
        );
        assert.doesNotMatch(output, unseen, words.join(' '));
        assert.match(output, /\\u202e/, words.join(' '));
        if (words[0] === 'print') assert.match(output, /\\u001b\[2Jf/);
      }
    });

    it('are escaped in what is said of wrong input', async () => {
      for (const args of [
        ['show', 'a\u202eb\u001b[2J', ...target()],
        ['show', 'comm', '--pid', 'a\u202eb\nc'],
        ['info', '--core', 'core.\u2066\n\u200b'],
        ['report', ...target(), '-o', '/nonexistent\u202e/x'],
        ['info\u202e'],
      ]) {
        const { stdout, stderr, status } = await runCli(args);
        assert.notEqual(status, 0);
        assert.doesNotMatch(stdout + stderr, unseen, args.join(' '));
        assert.match(stderr, /^[^\n]*\\u20(2e|66)[^\n]*\n$/);
      }
    });

    it('are escaped in the names of files', async () => {
      const program = join(folder, 'prog\u202eram');
      symlinkSync('/nonexistent', program);
      const { stderr } = await runCli(['info', '--core', program]);
      assert.doesNotMatch(stderr, unseen);
      assert.match(stderr, /prog\\u202eram: there is no such file/);
    });

    it('do not keep a core file from being opened', async () => {
      const cores = new CoreFolder();
      try {
        const [core] = await cores.gcore(job.pids.slice(0, 1));
        const odd = join(folder, 'co\nre ');
        renameSync(core!, odd);
        const { stdout, stderr } = await runCli(['show', 'named', '--frame', 'main', '--core', odd]);
        assert.ok(stdout.includes(`MPI_Comm "${oddNameVisible}"`), stdout + stderr);
      } finally {
        cores.remove();
      }
    });

    it('are escaped in a report', async () => {
      const page = join(folder, 'report.html');
      const { status, stderr } = await runCli(['report', ...target(), '-o', page]);
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(readFileSync(page, 'utf8'), unseen);
    });

    it('are whole in JSON: what MPI says', async () => {
      const answers = await showOfRankZero(job.launcherPid, ['main::named.comm', 'main::type', 'main::win']);
      const names = answers.map((answer: Answer) =>
        'info' in answer && 'name' in answer.info ? answer.info.name : answer,
      );
      const printed = (await job.finish())
        .filter((line) => line.startsWith('name of '))
        .map((line) => line.replace(/ MPIDBG.*/, ''));
      const truth = ['comm', 'datatype', 'win'].map((what) => {
        const line = printed.find((each) => each.startsWith(`name of ${what}:`)) ?? '';
        return Buffer.from(line.replace(/^[^:]*:/, '').replace(/ /g, ''), 'hex').toString();
      });
      assert.deepEqual(names, truth);
      assert.deepEqual(names, [oddName, oddName, oddName]);
    });
  });
}
