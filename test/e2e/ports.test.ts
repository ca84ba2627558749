/** VS Code announces the ports that programs listen on, as if they were web servers: not those of mpidbg. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { contributions } from '../../extension/manifest/contributions';
import { lineOf, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';
import { eventually } from '../support/process-state';

const [ours] = Object.keys(contributions.configurationDefaults['remote.portsAttributes']);

describe('ports of a session in VS Code', () => {
  const open = workbenchOfEachTest();

  /**
   * Reads the rows of the Ports view, whose first are those of a rank: the MPI library opens its port after the adapter and
   * the launcher theirs.
   */
  async function portsOf(attributes: Record<string, { onAutoForward: string }>): Promise<() => Promise<string[]>> {
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
    const announced = async (): Promise<string[]> => {
      const rows = await rowsOfWholeList(workbench.page.locator('.part.panel .monaco-list'));
      return rows.filter((text) => text.includes('Auto Forwarded'));
    };
    await untilOneHas(announced, `${program} (`);
    await workbench.screenshot('announced');
    return announced;
  }

  it('are not announced if the adapter or the launcher listens on them, whatever the user says of others', async () => {
    const announced = await portsOf({ 9: { onAutoForward: 'notify' } });
    assert.deepEqual(
      (await announced()).filter((text) => new RegExp(ours!).test(text)),
      [],
    );
  });

  it('are announced if the user wants it', async () => {
    const announced = await portsOf({ [ours!]: { onAutoForward: 'notify' } });
    for (const file of ['adapter.js', 'agent.pl']) await untilOneHas(announced, file);
  });
});

async function untilOneHas(texts: () => Promise<string[]>, part: string): Promise<void> {
  await eventually(`one has ${part}`, async () => (await texts()).some((text) => text.includes(part)));
}

/** What is used of an HTMLElement. */
interface DrawnRow {
  dataset: Record<string, string>;
  textContent: string;
}

/** A list draws only the rows that fit, and programs beside the test may have opened more ports than that. */
async function rowsOfWholeList(list: Locator): Promise<string[]> {
  const rows = list.locator('.monaco-list-row');
  const texts = new Map<string, string>();
  for (let key = 'Home', hasMore = true; hasMore; key = 'PageDown') {
    await list.press(key);
    const drawn = await rows.evaluateAll((elements: unknown[]) =>
      (elements as DrawnRow[]).map(({ dataset, textContent: text }) => ({
        index: dataset['index']!,
        isLast: dataset['lastElement'] === 'true',
        text,
      })),
    );
    for (const { index, text } of drawn) texts.set(index, text);
    hasMore = drawn.length > 0 && !drawn.some(({ isLast }) => isLast);
  }
  return [...texts.values()];
}
