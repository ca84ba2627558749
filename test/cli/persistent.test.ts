/** The collector's table of persistent collectives keeps apart what is started, and never tells a number that misses some. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkshop } from '../support/compile';

describe('the table of persistent collectives', () => {
  it('is right whatever is made, started and freed, and stops counting where it has no room', () => {
    const workshop = openWorkshop();
    try {
      const calls = join(__dirname, '..', '..', 'adapter', 'collector', 'calls');
      const source = readFileSync(join(__dirname, '..', 'support', 'persistent-requests.c'), 'utf8');
      const options = ['-std=gnu11', '-pthread', `-I${calls}`, join(calls, 'persistent.c')];
      const program = workshop.compile('persistent-requests', source, 'gcc', options);
      const { status, stdout } = spawnSync(program, { encoding: 'utf8', timeout: 60_000 });
      assert.deepEqual({ status, stdout }, { status: 0, stdout: '' });
    } finally {
      workshop.close();
    }
  });
});
