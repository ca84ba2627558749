import assert from 'node:assert/strict';
import { lineOf, putLaunchJson, putSample } from './project';
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
      putSample(folder, 'ring.c', 'mpicc.openmpi');
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 4 });
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.showOnlyViews('Ranks', 'Stacks over Ranks');

    const rows = workbench.rowsOf('Ranks');
    const place = `stopped in main at ring.c:${lineOf('ring.c', 'stop: token arrived')}`;
    for (const rank of [0, 1, 2, 3])
      await rows
        .filter({ hasText: `rank ${rank}` })
        .filter({ hasText: place })
        .waitFor();
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

    await workbench.command('MPI: Focus on All Ranks');
    await workbench.statusBar.filter({ hasText: 'all ranks' }).waitFor();
  });
});
