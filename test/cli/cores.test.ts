/** mpidbg on core files that are not as they should be: one sentence for each, and the others still open. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from '../../plugin-api/mpi/records';
import { CoreFolder } from '../support/core-files';
import { runCli } from '../support/run-cli';
import { samplePath } from '../support/sample-job';

describe('mpidbg --core', () => {
  let folder: CoreFolder;
  let core: string;

  before(async () => {
    folder = new CoreFolder();
    core = (await folder.crash('mpich', 'segv', { ranks: 2, args: ['1'] })).get(1) ?? '';
  });

  after(() => (folder as CoreFolder | undefined)?.remove());

  const info = async (...args: string[]) => {
    const { stdout, stderr, status } = await runCli(['info', '--json', '--core', ...args]);
    return { document: stdout === '' ? undefined : (JSON.parse(stdout) as Document), stderr, status };
  };

  it('opens the good ones beside a text file, an empty file, a program and a file that is not there', async () => {
    const text = join(folder.path, 'core.text');
    const empty = join(folder.path, 'core.empty');
    writeFileSync(text, 'rank 3 died here\n');
    writeFileSync(empty, '');
    const { document, status } = await info(core, text, empty, samplePath('mpich', 'segv'), '/nonexistent/core');
    assert.equal(status, 1);
    const reasons = document!.ranks.map((rank) => ('error' in rank ? rank.error.reason : `rank ${rank.rank}`));
    assert.equal(reasons[0], 'rank 1');
    assert.match(reasons[1]!, /not a core file/);
    assert.match(reasons[2]!, /empty/);
    assert.match(reasons[3]!, /not a core file but a program/);
    assert.match(reasons[4]!, /no such file/);
  });

  it('opens compressed ones under their own names', async () => {
    execFileSync('gzip', ['-k', core]);
    execFileSync('zstd', ['-q', '-k', core]);
    const { document, stderr } = await info(`${core}.gz`, `${core}.zst`);
    assert.deepEqual(
      document!.ranks.map((rank) => [rank.rank, rank.core]),
      [
        [1, `${core}.gz`],
        [1, `${core}.zst`],
      ],
    );
    assert.match(stderr, /rank 1 has 2 cores/);
  });

  it('says of a truncated one how much is missing', async () => {
    const cut = join(folder.path, 'core.cut');
    const whole = readFileSync(core);
    writeFileSync(cut, whole.subarray(0, whole.length - 5_000_000));
    assert.match((await info(cut)).stderr, /core.cut: the file is truncated by 5000000 bytes/);
    const { stdout } = await runCli(['hang', '--core', cut]);
    assert.doesNotMatch(stdout, /in its own code$/m, 'a stack of which nothing is known');
  });

  it('says when the program is another one, and uses the one that wrote the core', async () => {
    const { document, stderr } = await info(core, '--program', samplePath('openmpi', 'segv'));
    assert.match(stderr, /not written by .*openmpi\/segv but by .*mpich\/segv.* is used for it/);
    const [rank] = document!.ranks;
    assert.ok(rank !== undefined && 'crash' in rank);
    assert.match(rank.crash!.text, /SIGSEGV at segv.c:/);
  });

  it('refuses what holds no core at all, and ranks of which there is none', async () => {
    assert.deepEqual((await info('/etc/passwd')).status, 2);
    const missing = await info(core, '--ranks', '0');
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /no core of rank 0/);
  });
});
