import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

describe('a job that hangs, in VS Code', () => {
  const open = workbenchOfEachTest();

  it('is told why above the ranks and in the debug console when it is paused, with rows that lead to the lines', async () => {
    const workbench = await open('hang', (folder) => {
      putSample(folder, 'mismatch.c', mpiOfTest('openmpi'));
      putLaunchJson(folder, { program: '${workspaceFolder}/mismatch', ranks: 4 });
    });
    await workbench.openFile('mismatch.c');
    await workbench.untilExtensionIsKnown();
    await workbench.page.keyboard.press('Control+Shift+D');
    const start = workbench.page.locator('.start-debug-action-item', { hasText: 'MPI' });
    await start.locator('.codicon-debug-start').click();
    for (const rank of [0, 1, 2, 3])
      await workbench.console
        .filter({ hasText: `rank ${rank} begins` })
        .first()
        .waitFor();
    await workbench.page.keyboard.press('F6');
    await workbench.untilStopped();

    const line = lineOf('mismatch.c', 'stop: the tags differ');
    const waits = `Rank 0 waits in MPI_Recv (mismatch.c:${line}) for a message from rank 1 with tag 12 on MPI_Comm "ocean"`;
    await workbench.showOnlyViews('Ranks');
    await workbench.page.locator('.sidebar .pane .message', { hasText: waits }).waitFor();
    await workbench.console.filter({ hasText: waits }).first().waitFor();
    await workbench.screenshot('ranks');

    await workbench.command('Focus on Message Queues View');
    const queues = workbench.rowsOf('Message Queues');
    await queues.filter({ hasText: /from 1, tag 12, 4 bytes\s*posted receive/ }).waitFor();
    await queues.filter({ hasText: /from 1, tag 112, 4 bytes\s*unexpected message/ }).waitFor();
    await workbench.screenshot('queues');

    await workbench.goToLine(1);
    await workbench.command('MPI: Why Does It Hang?');
    const rows = workbench.rowsOf('Why It Hangs');
    await rows.filter({ hasText: 'Deadlock: tag-mismatch' }).waitFor();
    await rows
      .filter({ hasText: /^\s*rank 0/ })
      .first()
      .click();
    await workbench.untilAtLine(line);
    await workbench.screenshot('why');

    await workbench.command('MPI: Show Who Waits for Whom');
    const graph = workbench.webview;
    await graph.getByText(waits).waitFor();
    await graph.getByRole('button', { name: 'rank 0, MPI_Recv' }).waitFor();
    await workbench.screenshot('graph');
  });
});
