/** The Handles view: what the ranks have, merged, with what belongs to it; and the picture of a datatype. */
import assert from 'node:assert/strict';
import { eventually } from '../support/process-state';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

describe('the Handles view in VS Code', () => {
  const open = workbenchOfEachTest();

  it('lists the handles of the focused ranks by kind, filters them, and copies them as text', async () => {
    const workbench = await open('handles', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('openmpi'));
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
    await workbench.goToLine(1);
    await workbench.pressInRow(ocean, 'Go to Variable');
    await workbench.page
      .locator('.monaco-editor .active-line-number', { hasText: String(lineOf('ring.c', 'MPI_Comm ocean;')) })
      .waitFor();

    let copied = '';
    await eventually('the clipboard has it', async () => {
      copied = String(await workbench.page.evaluate('navigator.clipboard.readText()'));
      return copied !== '';
    });
    assert.match(copied, /^"ocean" · rank 0-3 of 4 {2}ranks 0-3\n/);
    assert.match(copied, /\n {2}size {2}4\n/);

    await workbench.chooseInMenu(workbench.variables.filter({ hasText: /^\s*ocean\b/ }), 'Show as Picture');
    const picture = workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    await picture.getByText('4 processes').waitFor();
    await picture.getByRole('button', { name: '2, rank 2' }).waitFor();
    await workbench.screenshot('members');
  });

  it('shows the type map of a datatype with its holes, while the editor tells who is at a line and what the values are', async () => {
    const workbench = await open('pictures', (folder) => {
      putSample(folder, 'busy.c', mpiOfTest('mpich'));
      // Open MPI has no list of datatypes: the history of the program's calls has them.
      putLaunchJson(folder, { program: '${workspaceFolder}/busy', ranks: 2, collector: true });
    });
    const { page } = workbench;
    await workbench.openFile('busy.c');
    await workbench.setBreakpoint(lineOf('busy.c', 'stop: next turn'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    const first = page.locator('.monaco-editor .view-line', { hasText: 'truth_start(&argc' });
    await first.filter({ hasText: /argc\s=\s1/ }).waitFor();
    const behindLines = `[...document.querySelectorAll('.view-line span')].map((each) => getComputedStyle(each, '::after').content).join()`;
    await eventually('the line says who is there', async () =>
      String(await page.evaluate(behindLines)).includes('2 of 2 ranks: 0-1'),
    );
    await workbench.screenshot('editor');
    await workbench.command('Focus on Handles View');
    const rows = workbench.rowsOf('Handles');
    await workbench.command('MPI: Filter Handles…');
    await page.locator('.quick-input-widget input').fill('column');
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'MPI_Comm' }).first().waitFor({ state: 'detached' });
    await workbench.pressInRow(rows.filter({ hasText: '"column"' }).first(), 'Show as Picture');
    const picture = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    // MPI_Type_vector(3, 2, 4, MPI_DOUBLE): two of four, three times, without the last gap.
    await picture.getByText('48 bytes of data in an extent of 80 bytes, 32 bytes of holes.').waitFor();
    await workbench.screenshot('datatype');
    assert.equal(await picture.locator('rect.series title').count(), 6);
  });
});
