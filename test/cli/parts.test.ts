/** The command line is in parts, which a job of many hours must not miss when mpidbg is installed anew. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from '../support/run-cli';

describe('parts of the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-parts-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are there without their files once they have been loaded', () => {
    cpSync(join(cli, '..', 'cli'), folder, { recursive: true });
    // What begins when it is loaded is main.js alone.
    const parts = readdirSync(folder).filter((file) => file.endsWith('.js') && file !== 'main.js');
    assert(parts.some((file) => file.startsWith('death-look-')));
    const script = `
      const { createRequire } = require('node:module');
      const [folder, ...parts] = process.argv.slice(1);
      const load = createRequire(folder + '/run.js');
      const loaded = parts.map((part) => load('./' + part));
      require('node:fs').rmSync(folder, { recursive: true });
      const another = createRequire(folder + '/death.js');
      console.log(parts.every((part, index) => another('./' + part) === loaded[index]));`;
    assert.equal(execFileSync(process.execPath, ['-e', script, folder, ...parts], { encoding: 'utf8' }), 'true\n');
  });
});
