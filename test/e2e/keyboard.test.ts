/** A Fortran job from the first key to the picture of a communicator, and nothing of it by mouse. */
import assert from 'node:assert/strict';
import { eventually } from '../support/process-state';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import type { Workbench } from './workbench';
import { workbenchOfEachTest } from './workbench-of-test';

describe('a job in VS Code without a mouse', () => {
  const open = workbenchOfEachTest();

  it('is started, has its ranks selected and stepped, and shows its handles, values and pictures', async () => {
    const workbench = await open('keyboard', (folder) => {
      putSample(folder, 'heat.f90', mpiOfTest('mpich'));
      putLaunchJson(folder, { program: '${workspaceFolder}/heat', ranks: 4 });
    });
    const { page, variables, statusBar } = workbench;
    const line = lineOf('heat.f90', 'stop: rod has warmed');
    await workbench.untilExtensionIsKnown();
    await page.keyboard.press('Control+Shift+e');
    await page.locator('.explorer-folders-view .monaco-list:focus').waitFor();
    await page.keyboard.press('End');
    await page.locator('.explorer-folders-view .monaco-list-row.focused[aria-label^="heat.f90"]').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.monaco-editor[data-uri$="/heat.f90"] .view-line').first().waitFor();
    await workbench.goToLine(line);
    await page.keyboard.press('F9');
    await workbench.breakpoints.first().waitFor();
    await page.keyboard.press('F5');
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();

    // A rank of the row that all are in.
    const ranks = workbench.rowsOf('Ranks', 'sidebar');
    await goToRow(workbench, 'Run and Debug', 'Ranks', 'rank 2,');
    await page.keyboard.press('Enter');
    await variables.filter({ hasText: /^\s*rank\s*[=:]?\s*2\s*$/ }).waitFor();
    await statusBar.filter({ hasText: 'rank 2' }).waitFor();
    await workbench.screenshot('selected');
    await goToRow(workbench, 'Run and Debug', 'Ranks', 'rank 2,');
    await choose(workbench, 'Step Over with These Ranks');
    await ranks
      .filter({ hasText: 'rank 2' })
      .filter({ hasText: `heat.f90:${lineOf('heat.f90', 'call MPI_Reduce')}` })
      .waitFor();
    await workbench.screenshot('stepped');

    await run(workbench, 'MPI: Focus on All Ranks');
    await statusBar.filter({ hasText: 'all ranks' }).waitFor();
    await run(workbench, 'MPI: Value over Ranks…');
    await type(workbench, 'temperature(8)');
    const values = workbench.rowsOf('Values over Ranks');
    await values.filter({ hasText: 'temperature(8)' }).waitFor();
    await goToRow(workbench, 'MPI', 'Values over Ranks', 'temperature(8)');
    await choose(workbench, 'Show as Picture');
    await workbench.webview.getByRole('button', { name: /^rank 3: / }).waitFor();
    await workbench.screenshot('values');

    await goToRow(workbench, 'MPI Objects', 'Handles', '"rod"');
    await choose(workbench, 'Show as Picture');
    const picture = workbench.webview;
    const rank = (which: number) => picture.getByRole('button', { name: new RegExp(`\\brank ${which}\\b`) });
    await picture.getByRole('heading', { name: '"rod" (rank 0): grid' }).waitFor();
    await rank(3).waitFor();
    await page.keyboard.press('Control+2');
    const hasFocus = async (): Promise<boolean> => picture.locator('body').evaluate('document.hasFocus()');
    await eventually('the picture has the focus', hasFocus);
    await page.keyboard.press('Tab');
    await rank(0).and(picture.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    await rank(1).and(picture.locator(':focus')).waitFor();
    await workbench.screenshot('picture');
    await page.keyboard.press('Enter');
    await variables.filter({ hasText: /^\s*rank\s*[=:]?\s*1 ≠\s*$/ }).waitFor();
    await workbench.screenshot('clicked');
  });
});

/** Types into the input that VS Code has opened, and accepts it. */
async function type({ page }: Workbench, text: string): Promise<void> {
  const input = page.locator('.quick-input-widget input');
  await input.waitFor();
  await page.keyboard.type(text);
  await page
    .locator('.quick-input-widget .monaco-list-row', { hasText: text })
    .or(page.locator('.quick-input-widget .quick-input-message:visible'))
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** A command of the palette. */
async function run(workbench: Workbench, title: string): Promise<void> {
  await workbench.page.keyboard.press('F1');
  await workbench.page.locator('.quick-input-widget input').waitFor();
  await workbench.page.keyboard.type(title);
  await workbench.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title }).waitFor();
  await workbench.page.keyboard.press('Enter');
  await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** Puts the focus on a view, in the side bar or a tab of the panel, and there on the row with this label. */
async function goToRow(workbench: Workbench, container: string, view: string, label: string): Promise<void> {
  const { page } = workbench;
  await run(workbench, `${container}: Focus on ${view} View`);
  const tree = page.locator(`.monaco-list[aria-label="${view}"]:focus`);
  await tree
    .locator('.monaco-list-row', { hasText: label.replace(/,$/, '') })
    .first()
    .waitFor();
  const focused = tree.locator('.monaco-list-row.focused');
  await page.keyboard.press('Home');
  for (let row = 0; row < 100; row++) {
    if ((await focused.getAttribute('aria-label'))?.includes(label)) return;
    await page.keyboard.press('ArrowDown');
  }
  assert.fail(`the view ${view} has no row "${label}"`);
}

/** An entry of the menu of the focused row. */
async function choose({ page }: Workbench, label: string): Promise<void> {
  await page.keyboard.press('Shift+F10');
  const menu = page.locator('.monaco-menu');
  await menu.waitFor();
  const chosen = menu.locator('.action-item.focused', { hasText: label });
  for (let entry = 0; (await chosen.count()) === 0; entry++) {
    assert.ok(entry < 20, `the menu has no "${label}"`);
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
}
