/** A job of many ranks in the Call Stack view: one row for all that are at one place. */
import type { Locator } from 'playwright-core';
import { eventually } from '../support/process-state';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

describe('the call stack of 16 ranks in VS Code', () => {
  const open = workbenchOfEachTest();

  it('is one row for each place, whose commands act on the focus', async () => {
    const workbench = await open('merged', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('mpich'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 16 });
    });
    const { callStack, variables } = workbench;
    const arrived = `main · ring.c:${lineOf('ring.c', 'stop: token arrived')}`;
    const next = `main · ring.c:${lineOf('ring.c', 'for (int lap')}`;
    const row = (name: string): Locator => callStack.filter({ hasText: name });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    await workbench.showOnlyViews('Call Stack', 'Variables', 'Ranks');
    await workbench.rowsOf('Ranks', 'sidebar').filter({ hasText: 'ranks 0-15' }).waitFor();
    // VS Code shows the frames alone of a single thread.
    await eventually('all ranks are one', async () => (await callStack.count()) === 1);
    await row('main').waitFor();
    await workbench.screenshot('one');

    await workbench.focusOn('1-2');
    await row(`0,3-15 · ${arrived}`).waitFor();
    await row(`1-2 · ${arrived}`).waitFor();
    await variables.filter({ hasText: /^\s*rank\s*[=:]?\s*1 ≠\s*$/ }).waitFor();
    await workbench.step();
    await row(`1-2 · ${next}`).waitFor();
    await row(`0,3-15 · ${arrived}`).waitFor();
    await variables.filter({ hasText: /^\s*rank\s*[=:]?\s*1 ≠\s*$/ }).waitFor();
    await workbench.screenshot('stepped');

    await workbench.rowsOf('Ranks', 'sidebar').filter({ hasText: 'rank 3' }).click();
    await variables.filter({ hasText: /^\s*rank\s*[=:]?\s*3 ≠\s*$/ }).waitFor();
    await row(`0,3-15 · ${arrived}`).waitFor();
    await workbench.screenshot('clicked');
  });
});
