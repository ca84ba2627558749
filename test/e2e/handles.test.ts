/** The Handles view: what the ranks have, merged, with what belongs to it. */
import assert from 'node:assert/strict';
import { eventually } from '../support/process-state';
import { lineOf, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

describe('the Handles view in VS Code', () => {
  const open = workbenchOfEachTest();

  it('lists the handles of the focused ranks by kind, filters them, and copies them as text', async () => {
    const workbench = await open('handles', (folder) => {
      putSample(folder, 'ring.c', 'mpicc.openmpi');
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 4 });
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    await workbench.command('Focus on Handles View');
    const rows = workbench.rowsOf('Handles');
    await rows.filter({ hasText: 'MPI_Comm' }).first().waitFor();
    const ocean = rows.filter({ hasText: '"ocean" · rank 0-3 of 4' });
    await ocean.filter({ hasText: 'ranks 0-3' }).waitFor();
    await workbench.screenshot('all');

    await workbench.command('MPI: Filter Handles…');
    await workbench.page.locator('.quick-input-widget input').fill('OCEAN');
    await workbench.page.keyboard.press('Enter');
    await ocean.waitFor();
    await workbench.expand(ocean);
    await rows.filter({ hasText: /^\s*size\s*4/ }).waitFor();
    await workbench.screenshot('filtered');

    await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await workbench.pressInRow(ocean, 'Copy as Text');
    let copied = '';
    await eventually('the clipboard has it', async () => {
      copied = String(await workbench.page.evaluate('navigator.clipboard.readText()'));
      return copied !== '';
    });
    assert.match(copied, /^"ocean" · rank 0-3 of 4 {2}ranks 0-3\n/);
    assert.match(copied, /\n {2}size {2}4\n/);
  });
});
