/** A working directory that is gone: whatever needs it says so in one sentence, and starts nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { framed } from '../support/adapter-server';
import { cli } from '../support/run-cli';

const adapter = join(cli, '..', 'adapter.js');

describe('mpidbg in a folder that is gone', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'mpidbg-gone-'))));
  after(() => rmSync(folder, { recursive: true }));

  function run(args: readonly string[], input = ''): { status: number | null; stdout: string; stderr: string } {
    const script = 'mkdir gone; cd gone; rmdir ../gone; exec "$@"';
    const command = ['-c', script, 'sh', process.execPath, ...args];
    const { status, stdout, stderr } = spawnSync('sh', command, {
      cwd: folder,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status, stdout, stderr };
  }

  const sentence = 'mpidbg: the working directory is gone: change to one that exists, and start mpidbg again\n';
  const target = ['--pid', String(process.pid)];

  it('says so, and starts nothing', () => {
    const started = join(folder, 'started');
    for (const command of [
      ...['info', 'handles', 'queues', 'stacks', 'hang'].map((name) => [name, ...target]),
      ...[
        ['show', 'comm'],
        ['print', 'x'],
      ].map((words) => [...words, ...target]),
      ...['pvars', 'cvars', 'events', 'ompt', 'calls'].map((name) => [name, ...target, '--csv', 'rows']),
      ['report', ...target, '-o', join(folder, 'page.html')],
      ['info', '--core', 'core'],
      ['layout', 'libmpi.so'],
      ['run', '--', 'touch', started],
      ['run', '--hang-after', '5', '--', 'touch', started],
    ])
      assert.deepEqual(run([cli, ...command]), { status: 2, stdout: '', stderr: sentence }, command.join(' '));
    assert.ok(!existsSync(started));
  });

  it('answers what needs no folder', () => {
    for (const command of [['--help'], ['--version'], ['man'], ['completion', 'bash'], ['collector']]) {
      const { status, stderr } = run([cli, ...command]);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, command.join(' '));
    }
  });

  it('is refused as the place of a session, and of a job', () => {
    assert.deepEqual(run([adapter, '--socket=dap']), { status: 2, stdout: '', stderr: sentence });
    assert.deepEqual(run([adapter, `--session=${process.pid}`]), { status: 2, stdout: '', stderr: sentence });
    for (const [command, args] of [
      ['launch', { program: 'solver' }],
      ['attach', { launcherPid: process.pid }],
    ] as const) {
      const requests = [
        { seq: 1, type: 'request', command: 'initialize', arguments: { adapterID: 'mpidbg' } },
        { seq: 2, type: 'request', command, arguments: args },
      ];
      const { stdout } = run([adapter], requests.map((request) => framed(JSON.stringify(request))).join(''));
      assert.ok(stdout.includes(`"format":"${sentence.slice('mpidbg: '.length).trimEnd()}"`), stdout);
    }
  });
});
