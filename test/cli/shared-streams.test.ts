/** The descriptors of a job are those of whoever calls mpidbg run, and are as they were when mpidbg has written to them itself. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nonBlocking } from '../../adapter/hosts/descriptor-flags';
import { patienceMs } from '../support/patience';
import { cli } from '../support/run-cli';

/** Tells all it has, and how each was opened. Perl opens none before; the folder that it lists is not told. */
const teller = `opendir my $all, "/proc/self/fd";
for (sort { $a <=> $b } grep { /^\\d+$/ && $_ != fileno($all) } readdir $all) {
  open my $info, "<", "/proc/self/fdinfo/$_"; my ($flags) = map { /^flags:\\s*(\\d+)/ } <$info>;
  my $to = readlink "/proc/self/fd/$_"; $to =~ s/\\d+//g; print "$_ $flags $to\\n" }`;

describe('the job of mpidbg run', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Lines of the job. `line`: of a shell, in which "$@" is the command. */
  const through = (line: string, command: readonly string[]): string => {
    const { status, stderr } = spawnSync('bash', ['-c', line, 'bash', ...command], {
      ...{ cwd: folder, timeout: patienceMs, encoding: 'utf8' },
    });
    assert.equal(status, 0, stderr);
    return readFileSync(join(folder, 'told'), 'utf8');
  };

  for (const redirections of [
    '>told',
    '3>&1 >told 2>&3',
    '3>log 5</dev/null 7<>both >told',
    '12< <(sleep 0) 63< <(sleep 0) >told',
    '| cat >told',
    '2>&1 | cat >told',
    '4</dev/null </dev/null >told 2>/dev/null',
  ])
    it(`has what a shell gives it: ${redirections}`, () => {
      const words = ['perl', '-e', teller];
      const line = `"$@" ${redirections}`;
      assert.equal(through(line, [process.execPath, cli, 'run', '--', ...words]), through(line, words));
    });

  for (const [kind, line] of [
    ['a socket', '"$@"'],
    ['a pipe', '"$@" 2> >(cat >&2)'],
  ] as const)
    it(`does not lose what it writes to ${kind} at once, where mpidbg has written to it too`, async () => {
      const waiting = 'until [ -e go ]; do sleep 0.1; done; grep flags /proc/self/fdinfo/2 >told';
      const command = [process.execPath, cli, 'run', '--hang-after', '1', '--', 'sh', '-c', waiting];
      const job = spawn('bash', ['-c', line, 'bash', ...command], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      const ended = once(job, 'close');
      job.stderr.on('data', (chunk: Buffer) => {
        if (chunk.includes('is not watched')) writeFileSync(join(folder, 'go'), '');
      });
      assert.deepEqual(await ended, [0, null]);
      const [, flags = ''] = /^flags:\s*(\d+)$/m.exec(readFileSync(join(folder, 'told'), 'utf8')) ?? [];
      assert.match(flags, /^0\d*[12]$/);
      assert.equal(parseInt(flags, 8) & nonBlocking, 0, flags);
    });
});
