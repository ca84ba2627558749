/** Whose file of this machine counts as one of another machine. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { twinOf, type FarFile } from '../../adapter/agent/twin-file';
import { openElf } from '../../adapter/elf/elf-cache';

describe('a file of another host', () => {
  const [path = ''] = /\/\S*\/libc\.so\S*/.exec(readFileSync('/proc/self/maps', 'utf8')) ?? [];
  const { size, mtimeMs } = statSync(path);
  const same: FarFile = { path, buildId: openElf(path).buildId, size, modified: Math.floor(mtimeMs / 1000) };

  it('is read here if it is the same here', async () => {
    const twin = await twinOf(same);
    assert.deepEqual(await twin?.read(size - 100, 100), readFileSync(path).subarray(size - 100));
    twin?.close();
  });

  it('is read there if anything of it differs', async () => {
    const others: Partial<FarFile>[] = [
      { path: undefined },
      { path: '/no/such/file' },
      { path: '/' },
      { path: '/proc/self/maps' },
      { buildId: undefined },
      { buildId: 'ab'.repeat(20) },
      { size: size + 1 },
      { modified: same.modified - 1 },
    ];
    for (const other of others) assert.equal(await twinOf({ ...same, ...other }), undefined, JSON.stringify(other));
  });
});
