/** Output that cannot be written: one line on standard error and status 2; a reader that has gone: nothing, and 0. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreFolder } from '../support/core-files';
import { cli, runCli } from '../support/run-cli';
import { SampleJob } from '../support/sample-job';

describe('mpidbg, when what it prints', () => {
  let folder: string;
  let cores: CoreFolder;
  let target: string[];
  let commands: string[][];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mpidbg-output-'));
    cores = new CoreFolder();
    const job = await SampleJob.startWaiting('mpich', 'handles', { ranks: 1 });
    try {
      target = ['--core', ...(await cores.gcore(job.pids))];
    } finally {
      await job.kill();
    }
    const queries = [['info'], ['show', 'evens'], ['handles'], ['stacks']];
    commands = [
      ['--help'],
      ['--version'],
      [],
      ...queries.flatMap((query) => [
        [...query, ...target],
        [...query, '--json', ...target],
      ]),
      ['report', ...target, '-o', join(folder, 'report.html')],
    ];
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    cores.remove();
  });

  /** Runs mpidbg from a shell that has done `before`. */
  function run(args: readonly string[], before: string): Promise<{ status: number; stderr: string }> {
    const script = `${before}; exec "$@"`;
    return new Promise((resolve) => {
      execFile('sh', ['-c', script, 'sh', process.execPath, cli, ...args], { cwd: folder }, (error, _, stderr) =>
        resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stderr }),
      );
    });
  }

  it('meets a full disk: one line and status 2, whatever the command', async () => {
    for (const command of commands) {
      const { status, stderr } = await run(command, 'exec > /dev/full');
      assert.equal(status, 2, command.join(' '));
      assert.equal(
        stderr,
        'mpidbg: standard output cannot be written: no space is left there: free some, or write elsewhere\n',
      );
    }
  });

  it('is written in part only: the same', async () => {
    // The first block of 512 or 1024 bytes can be written.
    const { status, stderr } = await run(['--help'], 'ulimit -f 1; exec > part');
    assert.equal(status, 2);
    assert.match(stderr, /^mpidbg: standard output cannot be written: the file would exceed the size limit: [^\n]+\n$/);
    assert.ok(readFileSync(join(folder, 'part')).length > 0);
  });

  it('has no reader any more: silence, and status 0', async () => {
    for (const command of commands) {
      const { status, stderr } = await run(command, 'mkfifo none; exec 3<> none 4> none 3<&-; rm none; exec >&4');
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, command.join(' '));
    }
  });

  it('is an error that cannot be told: the status tells it', async () => {
    assert.equal((await run(['shout'], 'exec 2> /dev/full')).status, 2);
    assert.equal((await run(['shout'], 'exec 2>&-')).status, 2);
    assert.equal((await run(['--help'], 'exec > /dev/full 2>&1')).status, 2);
  });

  it('is closed: one line and status 2, or the status alone where nothing can be told', async () => {
    for (const command of [['--help'], ['show', 'evens', '--json', ...target], ['hang', ...target]]) {
      const { status, stderr } = await run(command, 'exec >&-');
      assert.equal(status, 2, command.join(' '));
      assert.match(stderr, /^mpidbg: standard output is closed \([^\n]+\): nothing was printed\n$/);
    }
    assert.equal((await run(['info', ...target], 'exec >&- 2>&-')).status, 2);
    assert.equal((await run(['show', 'nowhere', ...target], 'exec 2>&-')).status, 2);
    assert.equal((await run(['show', 'evens', ...target], 'exec 2>&-')).status, 0);
  });

  it('is not wanted: the status is that of the answer', async () => {
    for (const unwanted of ['exec > /dev/null', 'exec 2<> /dev/null >&2', 'exec < /dev/null 2<> /dev/null >&2'])
      assert.deepEqual(await run(['info', ...target], unwanted), { status: 0, stderr: '' }, unwanted);
    const asTheParent = 'exec <> /dev/null >&0; "$@"; exit';
    assert.deepEqual(await run(['info', ...target], asTheParent), { status: 0, stderr: '' });
  });

  it('is the file that - stands for', async () => {
    const page = await runCli(['report', ...target, '-o', '-'], undefined, {}, folder);
    assert.match(page.stdout, /^<!DOCTYPE html>[^]*<\/html>\s*$/);
    assert.equal(page.status, 0, page.stderr);
    const graph = await runCli(['hang', ...target, '--dot', '-'], undefined, {}, folder);
    assert.match(graph.stdout, /^digraph hang {\n[^]*}\n$/);
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['hang', ...target, '--dot', '-', '--json'],
        /--dot and --json cannot both use standard output: give --dot a file, or drop --json/,
      ],
      ...['report', 'sarif', 'junit'].map(
        (name) => [['run', `--${name}`, '-', '--', 'true'], new RegExp(`--${name} takes the name of a file`)] as const,
      ),
    ];
    for (const [args, words] of refused) {
      const { status, stdout, stderr } = await runCli(args, undefined, {}, folder);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, words);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name === '-'),
      [],
    );
  });

  it('is a page for a full disk: one line and status 2', async () => {
    const { status, stderr } = await runCli(['report', ...target, '-o', '/dev/full']);
    assert.equal(status, 2);
    assert.equal(
      stderr,
      'mpidbg: /dev/full cannot be written: no space is left there: free some, or write elsewhere\n',
    );
  });
});
