/** The command line and the debug adapter open core files by the same rules. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { CoreFolder } from '../support/core-files';
import { DapClient } from '../support/dap-client';
import { runCli } from '../support/run-cli';

const adapter = join(__dirname, '..', '..', 'dist', 'adapter.js');

describe('core files by patterns', () => {
  let folder: CoreFolder;
  let there: string;
  let nowhere: string;

  before(async () => {
    folder = new CoreFolder();
    await folder.crash('mpich', 'segv', { ranks: 2, args: ['1'] });
    there = join(folder.path, '*', 'core*');
    nowhere = join(folder.path, 'none*');
  });
  after(() => (folder as CoreFolder | undefined)?.remove());

  /** What each tells of the start: the whole, and the error where it is refused. */
  const frontEnds: Record<string, (cores: string[], ranks?: string) => Promise<{ told: string; refused: boolean }>> = {
    'the command line': async (cores, ranks) => {
      const args = ranks === undefined ? [] : ['--ranks', ranks];
      const { stdout, stderr, status } = await runCli(['info', '--core', ...cores, ...args]);
      if (status === 2) assert.equal(stdout, '');
      return { told: stdout + stderr, refused: status === 2 };
    },
    'the debug adapter': async (cores, ranks) => {
      const { client, process: child } = DapClient.spawn(adapter);
      try {
        await client.request('initialize', { adapterID: 'mpidbg' });
        const attached = client.request('attach', { cores, ranks }).then(
          () => ({ told: client.outputText('console'), refused: false }),
          (error: Error) => ({ told: error.message, refused: true }),
        );
        return await attached;
      } finally {
        child.kill();
      }
    },
  };

  for (const [frontEnd, open] of Object.entries(frontEnds)) {
    it(`${frontEnd} warns of a pattern that matches nothing, beside one that does`, async () => {
      const { told, refused } = await open([nowhere, there]);
      assert.equal(refused, false);
      assert.ok(told.includes(`no file matches ${nowhere}\n`), told);
      assert.match(told, /rank 1: SIGSEGV/);
    });

    it(`${frontEnd} refuses patterns of which none matches, in one line`, async () => {
      const { told, refused } = await open([nowhere, join(folder.path, 'never?')]);
      assert.equal(refused, true);
      const line = `no file matches ${nowhere}, ${join(folder.path, 'never?')}: correct the pattern`;
      assert.ok(told.trim().endsWith(line) && !told.trim().includes('\n'), told);
    });

    it(`${frontEnd} refuses ranks of which there is no core`, async () => {
      const { told, refused } = await open([there], '0');
      assert.equal(refused, true);
      assert.match(told, /there is no core of rank 0 among these files/);
    });
  }
});
