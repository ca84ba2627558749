import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logDefect, maxLog } from '../../adapter/dap/client/log';

it('the log of defects never grows beyond two files of its limit, and ends with the last one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-log-'));
  try {
    const file = join(folder, 'adapter.log');
    for (let i = 0; i < 20; i++) logDefect(`request ${i}`, 'x'.repeat(maxLog), file);
    for (const each of [file, `${file}.1`]) assert.ok(statSync(each).size < 2 * maxLog, each);
    assert.match(readFileSync(file, 'utf8'), /request 19\nx+\n\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
