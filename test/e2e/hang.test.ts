import assert from 'node:assert/strict';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import type { Workbench } from './workbench';
import { workbenchOfEachTest } from './workbench-of-test';

describe('a job that hangs, in VS Code', () => {
  const open = workbenchOfEachTest();
  const mpi = mpiOfTest('openmpi');

  it('is told why in the panel and in the debug console when it is paused, with rows that lead to the lines', async () => {
    const workbench = await open('hang', (folder) => {
      putSample(folder, 'mismatch.c', mpi);
      putLaunchJson(folder, { program: '${workspaceFolder}/mismatch', ranks: 4 });
    });
    await start(workbench, 'mismatch.c');
    for (const rank of [0, 1, 2, 3])
      await workbench.console
        .filter({ hasText: `rank ${rank} begins` })
        .first()
        .waitFor();
    const title = workbench.page.locator('.sidebar .pane .message');
    const reason = workbench.page.locator('.panel .pane .message');
    await workbench.page.keyboard.press('F6');
    await workbench.untilStopped();
    await workbench.showOnlyViews('Ranks');
    if (mpi === 'mpich') {
      // It counts no messages, so one look proves nothing.
      await title.filter({ hasText: 'Whether this is a deadlock is unknown' }).waitFor();
      const button = workbench.rowsOf('Why It Hangs').filter({ hasText: 'Look Again' });
      await button.waitFor();
      assert.doesNotMatch(await reason.innerText(), /ask again/);
      await button.click();
    }

    const line = lineOf('mismatch.c', 'stop: the tags differ');
    const waits = `Rank 0 waits in MPI_Recv (mismatch.c:${line}) for a message from rank 1 with tag 12 on MPI_Comm "ocean"`;
    await title.filter({ hasText: /^Deadlock: the tags differ · ranks 0-1\b/ }).waitFor();
    await reason.filter({ hasText: waits }).waitFor();
    await workbench.screenshot('ranks');
    await workbench.command('Debug Console: Focus on Debug Console View');
    // With a path that VS Code makes a link of, and as much as a line has room for.
    const toldInConsole = `Rank 0 waits in MPI_Recv (./mismatch.c:${line}) for a message from rank 1 with tag 12`;
    await workbench.console.filter({ hasText: toldInConsole }).first().waitFor();
    await workbench.console
      .filter({ hasText: 'Rank 1 has sent one with tag 112, which nobody receives: the tags differ.' })
      .first()
      .waitFor();
    await workbench.console
      .locator('a', { hasText: `mismatch.c:${line}` })
      .first()
      .waitFor();
    await workbench.screenshot('console');

    await workbench.command('Focus on Message Queues View');
    const queues = workbench.rowsOf('Message Queues');
    await queues.filter({ hasText: /from 1, tag 12, 4 bytes\s*posted receive/ }).waitFor();
    await queues.filter({ hasText: /from 1, tag 112, 4 bytes\s*unexpected message/ }).waitFor();
    await workbench.screenshot('queues');

    await workbench.goToLine(1);
    await workbench.command('MPI: Why Does It Hang?');
    const rows = workbench.rowsOf('Why It Hangs');
    await rows.filter({ hasText: 'Deadlock: the tags differ' }).waitFor();
    await rows
      .filter({ hasText: 'has sent a message to rank 0 with tag 112 on MPI_Comm "ocean", which nobody receives' })
      .waitFor();
    await rows
      .filter({ hasText: /^\s*ranks? 0/ })
      .first()
      .click();
    await workbench.untilAtLine(line);
    await workbench.screenshot('why');

    await workbench.command('MPI: Show Who Waits for Whom');
    const graph = workbench.webview;
    await graph.getByText(waits).waitFor();
    await graph.getByRole('button', { name: 'rank 0, MPI_Recv' }).waitFor();
    await workbench.goToLine(1);
    await graph
      .getByRole('button', { name: `mismatch.c:${line}` })
      .first()
      .click();
    await workbench.untilAtLine(line);
    await workbench.screenshot('graph');
    await workbench.startOrContinue();
    await graph.getByText('Of an earlier stop').waitFor();
    await workbench.screenshot('earlier');

    await workbench.command('MPI: Why Does It Hang?');
    await rows.first().waitFor();
    await workbench.page.keyboard.press('Shift+F5');
    await workbench.untilEnded();
    // In place of a terminal.
    await workbench.page.locator('.panel .action-item.checked', { hasText: 'Debug Console' }).waitFor();
    await workbench.console.filter({ hasText: toldInConsole }).first().waitFor();
    assert.equal(await workbench.page.locator('.panel .xterm').count(), 0);
  });
});

/** With nothing that stops it. */
async function start(workbench: Workbench, file: string): Promise<void> {
  await workbench.openFile(file);
  await workbench.untilExtensionIsKnown();
  await workbench.page.keyboard.press('Control+Shift+D');
  const button = workbench.page.locator('.start-debug-action-item', { hasText: 'MPI' });
  await button.locator('.codicon-debug-start').click();
}
