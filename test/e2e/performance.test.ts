/** The Performance Variables and MPI Events views: what the collector reads of MPI_T, while ranks run too. */
import assert from 'node:assert/strict';
import { eventually } from '../support/process-state';
import { drawnIn } from './canvas';
import { lineOf, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

describe('what MPI_T tells, in VS Code', () => {
  const open = workbenchOfEachTest();

  it('is shown while ranks run, by category and merged, with the reason where there is nothing', async () => {
    const workbench = await open('performance', (folder) => {
      putSample(folder, 'tool-variables.c', 'openmpi');
      putLaunchJson(folder, {
        program: '${workspaceFolder}/tool-variables',
        args: ['--wait'],
        ranks: 4,
        collector: true,
      });
    });
    await workbench.openFile('tool-variables.c');
    await workbench.setBreakpoint(lineOf('tool-variables.c', 'send_to(right, RECEIVED_LATER, MPI_COMM_WORLD)'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    await workbench.command('Focus on MPI Events View');
    const events = workbench.rowsOf('MPI Events');
    await events.filter({ hasText: 'the MPI library has no such events' }).filter({ hasText: 'ranks 0-3' }).waitFor();

    await workbench.command('Focus on Performance Variables View');
    const rows = workbench.rowsOf('Performance Variables');
    const unexpected = rows.filter({ hasText: 'pml_ob1_unexpected_msgq_length' });
    await unexpected.filter({ hasText: '(size, ' }).waitFor();
    await workbench.screenshot('stopped');

    // While nothing runs there is a single sample, which no line shows.
    await workbench.pressInRow(unexpected, 'Show as Live Chart');
    const values = workbench.webview.getByRole('listitem').filter({ hasText: 'rank 0' }).locator('output');
    await values.filter({ hasText: /^\d+$/ }).waitFor();
    const plot = workbench.webview.locator('.plot canvas');
    // The color is that of the rank that is drawn last: dots of equal values lie over one another.
    await eventually('a dot is drawn', async () => (await drawnIn(plot, 'charts-yellow')).pixels > 8);
    await workbench.screenshot('stopped-chart');
    await workbench.webview.getByRole('button', { name: 'Close the chart' }).click();
    // A key pressed while the page is closing is lost.
    await workbench.page.locator('iframe.webview').waitFor({ state: 'detached' });

    // No rank stops again: each has got three messages from its left neighbour when it waits.
    await workbench.startOrContinue();
    await rows.filter({ hasText: 'MPI_COMM_WORLD: 0 0 0 3' }).filter({ hasText: 'rank 0' }).waitFor();
    await rows.filter({ hasText: 'MPI_COMM_WORLD: 3 0 0 0' }).filter({ hasText: 'rank 1' }).waitFor();
    await workbench.screenshot('running');
    await workbench.command('Focus on Stacks over Ranks View');
    await workbench.rowsOf('Stacks over Ranks').first().waitFor();
    await workbench.rowsOf('Stacks over Ranks').filter({ hasText: 'main' }).waitFor({ state: 'detached' });
    await workbench.command('Focus on Performance Variables View');

    // Three messages on MPI_COMM_WORLD, and two on "ocean".
    await workbench.pressInRow(unexpected, 'Show as Live Chart');
    const line = workbench.webview.getByRole('listitem').filter({ hasText: 'rank 0' });
    await line.locator('output', { hasText: /^5$/ }).waitFor();
    await workbench.screenshot('chart');

    await workbench.pressInRow(unexpected, 'Show as Heat Map');
    const ofRank1 = workbench.webview.getByRole('row').filter({ hasText: 'rank 1' });
    await ofRank1.getByRole('cell').filter({ hasText: /^3$/ }).waitFor();
    assert.deepEqual(await ofRank1.getByRole('cell').allInnerTexts(), ['3', '0', '0', '0']);
    await workbench.screenshot('heat-map');

    // The last call of rank 0: has the last one of the two messages come?
    await workbench.command('MPI: Timeline of Calls and Events');
    const timeline = workbench.webview.getByRole('application', { name: 'Timeline of MPI calls of 4 ranks' });
    await timeline.press('ArrowLeft');
    await workbench.webview.getByRole('heading', { name: 'MPI_Iprobe from 3 tag 1 on "ocean"' }).waitFor();
    await workbench.screenshot('timeline');
    const probe = lineOf('tool-variables.c', 'MPI_Iprobe(rank, last, comm');
    await workbench.webview.getByRole('button', { name: `Open tool-variables.c:${probe}` }).click();
    await workbench.page.locator('.monaco-editor .active-line-number', { hasText: String(probe) }).waitFor();

    await workbench.command('MPI: Find Variables…');
    await workbench.page.locator('.quick-input-widget input').fill('if_base_verbose');
    await workbench.page.keyboard.press('Enter');
    const setting = rows.filter({ hasText: 'if_base_verbose' });
    await setting.waitFor();
    await workbench.screenshot('control-variables');

    await workbench.pressInRow(setting, 'Write Variable');
    await workbench.page.locator('.quick-input-widget input').fill('7');
    await workbench.page.keyboard.press('Enter');
    await setting.filter({ hasText: /if_base_verbose\s*7/ }).waitFor();
    await workbench.page
      .locator('.notification-list-item-message', { hasText: 'if_base_verbose: ranks 0-3: written, now 7' })
      .waitFor();
    await workbench.screenshot('written');
  });
});
