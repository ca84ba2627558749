/** VS Code announces the ports that programs listen on, as if they were web servers: not those of mpidbg. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { contributions } from '../../extension/manifest/contributions';
import { lineOf, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

const [ours] = Object.keys(contributions.configurationDefaults['remote.portsAttributes']);

describe('ports of a session in VS Code', () => {
  const open = workbenchOfEachTest();

  /** Rows of the Ports view once it has those of a rank, which the MPI library opens after the adapter and the launcher theirs. */
  async function portsOf(attributes: Record<string, { onAutoForward: string }>): Promise<Locator> {
    let program = '';
    const workbench = await open('ports', (folder) => {
      putSample(folder, 'ring.c', 'openmpi');
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 2 });
      const settings = {
        'remote.autoForwardPorts': true,
        // Beyond 20 ports, those of other programs on this machine included, VS Code would forward none.
        'remote.autoForwardPortsFallback': 0,
        'remote.portsAttributes': attributes,
      };
      writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));
      program = path.join(folder, 'ring');
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.page.getByRole('tab', { name: 'Ports' }).click();
    const rows = workbench.page.locator('.part.panel .monaco-list-row', { hasText: 'Auto Forwarded' });
    await rows
      .filter({ hasText: `${program} (` })
      .first()
      .waitFor();
    await workbench.screenshot('announced');
    return rows;
  }

  it('are not announced if the adapter or the launcher listens on them, whatever the user says of others', async () => {
    const rows = await portsOf({ 9: { onAutoForward: 'notify' } });
    const texts = await rows.allInnerTexts();
    assert.deepEqual(
      texts.filter((text) => new RegExp(ours!).test(text)),
      [],
    );
  });

  it('are announced if the user wants it', async () => {
    const rows = await portsOf({ [ours!]: { onAutoForward: 'notify' } });
    for (const file of ['adapter.js', 'agent.pl']) await rows.filter({ hasText: file }).first().waitFor();
  });
});
