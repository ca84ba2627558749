/** What the collector tells of a Fortran job: its calls, where its handles were made, and what this MPI has no more of. */
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

describe('the calls of a Fortran program, in VS Code', () => {
  const open = workbenchOfEachTest();
  const mpi = mpiOfTest('mpich');

  it('are a timeline that leads to its lines, and say where its handles were made', async () => {
    const workbench = await open('calls', (folder) => {
      putSample(folder, 'heat.f90', mpi);
      putLaunchJson(folder, { program: '${workspaceFolder}/heat', ranks: 3, collector: true });
    });
    const { page } = workbench;
    await workbench.openFile('heat.f90');
    await workbench.setBreakpoint(lineOf('heat.f90', 'stop: rod has warmed'));
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.untilLocalsAreOpen();

    const made = lineOf('heat.f90', 'call MPI_Cart_create');
    await workbench.command('Focus on Handles View');
    const rod = workbench.rowsOf('Handles').filter({ hasText: '"rod" · rank 0-2' });
    await workbench.expand(rod);
    await workbench
      .rowsOf('Handles')
      .filter({ hasText: `heat.f90:${made}` })
      .first()
      .waitFor();
    await workbench.screenshot('made');
    await workbench.goToLine(1);
    await rod.click();
    await page.locator('.monaco-editor .active-line-number', { hasText: String(made) }).waitFor();

    await workbench.command('Focus on Performance Variables View');
    const rows = workbench.rowsOf('Performance Variables');
    const has = mpi === 'openmpi' ? 'pml_ob1_unexpected_msgq_length' : 'the MPI library has no such ';
    await rows.filter({ hasText: has }).waitFor();
    await workbench.screenshot('variables');

    await workbench.command('MPI: Timeline of Calls and Events');
    const timeline = workbench.webview.getByRole('application', { name: 'Timeline of MPI calls of 3 ranks' });
    await timeline.press('ArrowLeft');
    await workbench.webview.getByRole('heading', { name: /^MPI_Sendrecv .*"rod"/ }).waitFor();
    await workbench.screenshot('timeline');
    await workbench.webview.getByRole('button', { name: /^Open heat\.f90:(49|50)$/ }).click();
    await page.locator('.monaco-editor .active-line-number', { hasText: /^(49|50)$/ }).waitFor();
  });
});
