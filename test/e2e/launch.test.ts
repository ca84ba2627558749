import { utimesSync } from 'node:fs';
import path from 'node:path';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

const ranks = [0, 1, 2, 3];

describe('F5 in VS Code', () => {
  const open = workbenchOfEachTest();

  it('stops all ranks of a C program and shows their communicators', async () => {
    const workbench = await open('c', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('openmpi'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 4 });
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.screenshot('breakpoint');

    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();
    await workbench.showOnlyViews('Call Stack', 'Variables');
    for (const rank of ranks) {
      await workbench
        .rank(rank)
        .filter({ hasText: /paused|breakpoint/i })
        .waitFor();
    }
    await workbench.callStack.filter({ hasText: 'Load More Stack Frames' }).waitFor({ state: 'detached' });
    await workbench.screenshot('stopped');

    await workbench.expand(workbench.rank(3));
    await workbench.innermostFrame(3).filter({ hasText: 'main' }).click();
    await workbench.expand(workbench.variables.first());
    const ocean = workbench.variables.filter({ hasText: /^\s*ocean\b/ });
    await ocean.filter({ hasText: 'MPI_Comm "ocean" · rank 3 of 4' }).waitFor();
    await workbench.expand(ocean);
    await workbench.variables
      .filter({ hasText: /^\s*size\s*[=:]?\s*4\s*$/ })
      .first()
      .waitFor();
    await workbench.screenshot('communicator');

    await workbench.step();
    await workbench.untilAtLine(lineOf('ring.c', 'for (int lap'));
    await workbench.variables.filter({ hasText: /^\s*localProcs\b/ }).waitFor(); // What was opened stays open.
    await workbench.callStack.filter({ hasText: 'Load More Stack Frames' }).waitFor({ state: 'detached' });
    await workbench.screenshot('step');

    await workbench.removeAllBreakpoints();
    await workbench.startOrContinue();
    await workbench.untilEnded();
    for (const rank of ranks) {
      await workbench.console
        .filter({ hasText: `rank ${rank} of 4, lap 3: token` })
        .first()
        .waitFor();
    }
    await workbench.screenshot('ended');
  });

  it('stops in Fortran, without another extension and without a launch.json: it asks once for the number of ranks', async () => {
    let source = '';
    const workbench = await open('fortran', (folder) => {
      putSample(folder, 'heat.f90', mpiOfTest('openmpi'));
      source = path.join(folder, 'heat.f90');
    });
    await workbench.openFile('heat.f90');
    await workbench.setBreakpoint(lineOf('heat.f90', 'stop: rod has warmed'));

    await workbench.startOrContinue();
    await workbench.page.locator('.quick-input-widget', { hasText: 'heat: number of ranks' }).waitFor();
    await workbench.screenshot('ranks');
    await workbench.page.locator('.quick-input-widget input').fill('3');
    await workbench.page.keyboard.press('Enter');
    await workbench.untilStopped();
    await workbench.console
      .filter({ hasText: / -n 3 .*\/heat/ })
      .first()
      .waitFor();
    await workbench.statusBar.filter({ hasText: 'Starting' }).waitFor({ state: 'detached' });
    await workbench.variables.filter({ hasText: /^\s*rank\s*[=:]?\s*0 ≠\s*$/ }).waitFor();
    // An INTEGER of the program, that the program passes to MPI as a communicator.
    await workbench.variables.filter({ hasText: 'MPI_Comm "rod" · rank 0 of 3' }).waitFor();
    await workbench.showOnlyViews('Call Stack', 'Variables');
    await workbench.screenshot('stopped');

    await workbench.startOrContinue();
    await workbench.untilEnded();
    await workbench.console.filter({ hasText: 'heat in the rod:' }).first().waitFor();
    await workbench.screenshot('ended');

    // As after a change of the source.
    const now = new Date();
    utimesSync(source, now, now);
    await workbench.startOrContinue();
    await workbench.page.locator('.quick-input-widget', { hasText: 'heat is older than heat.f90' }).waitFor();
    await workbench.screenshot('older');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Build it first' }).click();
    await workbench.untilStopped();
    await workbench.screenshot('built');
  });

  it('takes up the session of a window that was lost', async () => {
    const workbench = await open('kept', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('mpich'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 2 });
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'stop: token arrived'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.killExtensionHost();
    await workbench.untilEnded();
    await workbench.untilExtensionIsKnown();
    await workbench.startOrContinue();
    await workbench.answer('Resume');
    await workbench.untilStopped();
    await workbench.screenshot('resumed');
    await workbench.step();
    await workbench.untilAtLine(lineOf('ring.c', 'for (int lap'));
  });

  it('leaves nothing behind when VS Code is closed', async () => {
    const workbench = await open('mpich', (folder) => {
      putSample(folder, 'ring.c', mpiOfTest('mpich'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ring', ranks: 4 });
    });
    await workbench.openFile('ring.c');
    await workbench.setBreakpoint(lineOf('ring.c', 'MPI_Finalize'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.screenshot('stopped');
  });
});
