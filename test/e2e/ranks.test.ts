import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { Workbench } from './workbench';

describe('the views of ranks in VS Code', () => {
  let workbench: Workbench | undefined;

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(await workbench?.explain());
    assert.deepEqual((await workbench?.close()) ?? [], [], 'processes that are left running');
    workbench = undefined;
  });

  it('tell where each rank stands, focus on a clicked one, and show the stacks as one tree', async () => {
    workbench = await Workbench.open('ranks', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('openmpi'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 4 });
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    await workbench.showOnlyViews('Ranks');

    const rows = workbench.rowsOf('Ranks', 'sidebar');
    const place = `main at ring.c:${lineOf('ring.c', 'stop: token arrived')} · breakpoint`;
    await rows.filter({ hasText: 'ranks 0-3' }).filter({ hasText: place }).waitFor();
    for (const rank of [0, 1, 2, 3]) await rows.filter({ hasText: `rank ${rank}` }).waitFor();
    await workbench.command('Focus on Stacks over Ranks View');
    await workbench
      .rowsOf('Stacks over Ranks')
      .filter({ hasText: 'main' })
      .filter({ hasText: '[0-3]' })
      .first()
      .waitFor();
    await workbench.statusBar.filter({ hasText: 'all ranks' }).waitFor();
    await workbench.screenshot('all');

    await rows.filter({ hasText: 'rank 2' }).click();
    await workbench.statusBar.filter({ hasText: 'rank 2' }).waitFor();
    await rows.filter({ hasText: 'rank 2' }).filter({ hasText: 'in focus' }).waitFor();
    await workbench.screenshot('focused');

    await workbench.pressInRow(rows.filter({ hasText: 'rank 2' }), 'Step Over with These Ranks');
    const next = `main at ring.c:${lineOf('ring.c', 'for (int lap')}`;
    await rows.filter({ hasText: 'rank 2' }).filter({ hasText: next }).waitFor();
    await rows.filter({ hasText: 'ranks 0-1,3' }).filter({ hasText: place }).waitFor();
    await workbench.pressInRow(rows.filter({ hasText: 'ranks 0-1,3' }), 'Focus on These Ranks');
    await workbench.statusBar.filter({ hasText: 'ranks 0-1,3' }).waitFor();
    await workbench.screenshot('moved');

    await workbench.command('MPI: Focus on All Ranks');
    await workbench.statusBar.filter({ hasText: 'all ranks' }).waitFor();
    await workbench.rowsOf('Stacks over Ranks').filter({ hasText: '[2]' }).first().click();
    await workbench.untilAtLine(lineOf('ring.c', 'for (int lap'));

    await workbench.command('MPI: Value over Ranks…');
    await workbench.page.locator('.quick-input-widget input').fill('2 * rank');
    await workbench.page.keyboard.press('Enter');
    const values = workbench.rowsOf('Values over Ranks');
    await values.filter({ hasText: 'Differences in main' }).waitFor();
    await values.filter({ hasText: /^\s*previous/ }).waitFor();
    await workbench.pressInRow(values.filter({ hasText: '0 … 6' }), 'Show as Picture');
    const picture = workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    await picture.getByRole('button', { name: 'rank 3: 6' }).waitFor();
    await workbench.screenshot('values');
  });

  it('stop where a NaN is made, find those that are there, and mark them in the picture of an array', async () => {
    workbench = await Workbench.open('nan', (folder) => {
      putSample(folder, 'nans.c', mpiOfTest('mpich'));
      putLaunchJson(folder, { program: '${workspaceFolder}/nans', ranks: 2, floatingPoint: ['zero'] });
    });
    await workbench.openFile('nans.c');
    await workbench.setBreakpoint(lineOf('nans.c', 'stop: library'));
    await workbench.startOrContinue();
    const zero = workbench.page.locator('.exception-widget', { hasText: '3.0/0.0 at nans.c' });
    await zero.waitFor();

    await workbench.command('MPI: Value over Ranks…');
    await workbench.page.locator('.quick-input-widget input').fill('grid[5]');
    await workbench.page.keyboard.press('Enter');
    const values = workbench.rowsOf('Values over Ranks');
    await values.filter({ hasText: 'Find NaN' }).locator('.monaco-tl-twistie').click();
    await values.filter({ hasText: /grid\[5\]\[2\] = NaN.*global variable/ }).waitFor();
    await values.filter({ hasText: /onPurpose = NaN.*main/ }).waitFor();
    await workbench.screenshot('found');

    await workbench.pressInRow(
      values.filter({ hasText: /^\s*grid\[5\]/ }).filter({ hasNotText: 'NaN' }),
      'Show as Picture',
    );
    const picture = workbench.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    await picture.getByText('Marked: what is not a finite number.').waitFor();
    await workbench.screenshot('marked');
  });

  it('show the variables of the rank that a stop is about, in a new window too, then of the focus, and of a clicked rank', async () => {
    workbench = await Workbench.open('selection', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('openmpi'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 4 });
    });
    const { variables, callStack, statusBar } = workbench;
    const variableRank = (rank: number): Locator =>
      // What differs between the ranks of the focus is marked.
      variables.filter({ hasText: new RegExp(`^\\s*rank\\s*[=:]?\\s*${rank} ≠\\s*$`) });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await variableRank(0).waitFor();
    await workbench.screenshot('stopped');
    const threads = await callStack.allInnerTexts();
    assert.deepEqual(
      threads.filter((text) => text.includes('Open MPI')),
      [],
      'threads of the MPI library',
    );

    await workbench.focusOn('1-2');
    await variableRank(1).waitFor();
    await workbench.step();
    await callStack
      .filter({ hasText: 'ring.c' })
      .filter({ hasText: `${lineOf('ring.c', 'for (int lap')}:` })
      .first()
      .waitFor();
    await variableRank(1).waitFor();
    await workbench.screenshot('stepped');

    await workbench.showOnlyViews('Variables', 'Ranks');
    await workbench.rowsOf('Ranks', 'sidebar').filter({ hasText: 'rank 3' }).click();
    await variableRank(3).waitFor();
    await statusBar.filter({ hasText: 'ranks 1-2' }).waitFor();
    await workbench.screenshot('clicked');
  });
});
