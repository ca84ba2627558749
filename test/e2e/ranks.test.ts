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
