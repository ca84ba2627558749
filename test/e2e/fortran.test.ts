/** Fortran in VS Code: what INTEGERs are, in the editor and while debugging, and how the user says it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/process-state';
import { lineOf, mpiOfTest, putLaunchJson, putSample } from './project';
import { isOldestVsCode } from './vs-code-server';
import type { Workbench } from './workbench';
import { workbenchOfEachTest } from './workbench-of-test';

/** A type where a communicator is wanted, and a status that is too short. */
const wrong = `subroutine wrong(comm)
  use mpi
  implicit none
  integer, intent(in) :: comm
  integer :: row, bytes, ierror, status(2)

  call MPI_Type_contiguous(3, MPI_REAL, row, ierror)
  call MPI_Comm_size(row, bytes, ierror)
  call MPI_Probe(0, 1, comm, status, ierror)
end subroutine wrong
`;

describe('Fortran in VS Code', () => {
  const openWorkbench = workbenchOfEachTest();
  let folder = '';

  const open = (name: string, prepare: (folder: string) => void): Promise<Workbench> =>
    openWorkbench(name, (project) => {
      folder = project;
      prepare(project);
    });

  /** VS Code writes them a moment after what they say can be seen. */
  async function untilSettingsAre(expected: unknown): Promise<void> {
    const settings = (): string => readFileSync(path.join(folder, '.vscode/settings.json'), 'utf8');
    const isWritten = (): boolean => {
      try {
        return isDeepStrictEqual(JSON.parse(settings()), expected);
      } catch {
        return false; // It is being written.
      }
    };
    await eventually(() => `not ${JSON.stringify(expected)} but ${settings()}`, isWritten, 30_000);
  }

  it('says in the editor what is a handle, why, and what is wrong', async () => {
    const workbench = await open('fortran-editor', (project) => writeFileSync(path.join(project, 'wrong.f90'), wrong));
    await workbench.openFile('wrong.f90');
    const { page } = workbench;
    await page.locator('.view-line', { hasText: /comm:\s*MPI_Comm/ }).waitFor(); // The inlay hint.
    await page.locator('.squiggly-warning').nth(1).waitFor();

    const plain = await workbench.wordInLine('implicit none', '\\s*implicit\\snone').getAttribute('class');
    const handle = workbench.wordInLine('MPI_Probe', 'comm');
    assert.notEqual(await handle.getAttribute('class'), plain, 'a handle has a colour of its own');
    await handle.hover();
    const hover = page.locator('.monaco-hover', { hasText: 'MPI_Comm comm' });
    await hover.filter({ hasText: /a communicator: third argument of MPI_Probe, wrong\.f90:9/ }).waitFor();
    await workbench.screenshot('hover');

    await workbench.wordInLine('MPI_Comm_size', 'row').hover();
    await page
      .locator('.monaco-hover', { hasText: 'row is a communicator here' })
      .filter({ hasText: /a datatype elsewhere: third argument of MPI_Type_contiguous, wrong\.f90:7/ })
      .waitFor();
    await workbench.screenshot('warning');

    await page.keyboard.press('Escape'); // The hover lies over the lines above.
    await page.locator('.monaco-hover', { hasText: 'row is a communicator here' }).waitFor({ state: 'hidden' });
    await workbench.wordInLine('integer, intent(in)', 'comm').click();
    await workbench.command('Go to Type Definition');
    await page.locator('.monaco-editor .active-line-number', { hasText: /^9$/ }).waitFor();
    await workbench.screenshot('decided');
  });

  it('shows an INTEGER as the handle that the user says it is, also in the next session', async () => {
    const workbench = await open('fortran-said', (project) => {
      putSample(project, 'registry.f90', mpiOfTest('openmpi'));
      putLaunchJson(project, { program: '${workspaceFolder}/registry', ranks: 2 });
    });
    const variable = (name: string): Locator =>
      workbench.variables.filter({ hasText: new RegExp(`^\\s*${name}\\b`) }).first();
    const shows = (name: string, value: string | RegExp): Promise<void> =>
      variable(name).filter({ hasText: value }).waitFor();
    const kept = /MPI_Comm "kept" · rank 0 of 2/;
    // MPICH's are negative, and not the same in all ranks.
    const number = /[=:]?\s*-?\d+( ≠)?\s*$/;

    async function stop(): Promise<void> {
      await workbench.startOrContinue();
      await workbench.untilStopped();
      await workbench.showOnlyViews('Variables', 'Watch');
      await workbench.expand(workbench.variables.first());
    }

    await workbench.openFile('registry.f90');
    await workbench.setBreakpoint(lineOf('registry.f90', 'stop: nobody says'));
    await stop();
    await shows('other', number);
    await workbench.screenshot('numbers');

    await workbench.chooseInMenu(variable('other'), 'Show as MPI Handle', 'Communicator (MPI_Comm)');
    await shows('other', kept);
    await workbench.screenshot('said');
    const said = { variable: 'other', function: 'work', file: 'registry.f90', kind: 'comm' };
    await untilSettingsAre({ 'mpidbg.handles': [said] });

    await workbench.goToLine(lineOf('registry.f90', 'integer :: table(3)'));
    const declared = workbench.wordInLine('integer :: table', 'table');
    await workbench.chooseInMenu(declared, 'Show as MPI Handle', 'Communicator (MPI_Comm)');
    await workbench.page.locator('.view-line', { hasText: /table:\s*MPI_Comm\(3\)/ }).waitFor();
    await workbench.screenshot('in-the-editor');
    const table = { variable: 'table', function: 'kept', file: 'registry.f90', kind: 'comm' };
    await untilSettingsAre({ 'mpidbg.handles': [said, table] });

    await workbench.page.locator('.debug-toolbar .codicon-debug-stop').click();
    await workbench.untilEnded();
    await stop();
    await shows('other', kept);
    await workbench.screenshot('restarted');

    await workbench.chooseInMenu(variable('other'), 'Show as MPI Handle', 'Not a Handle');
    await shows('other', number);
    await workbench.chooseInMenu(variable('other'), 'Show as MPI Handle', 'As the Program Says');
    await workbench.screenshot('taken-back');
    await untilSettingsAre({ 'mpidbg.handles': [table] });

    // Into the menu of this view, VS Code 1.100 lets no extension put anything.
    if (isOldestVsCode) return;
    await workbench.chooseInMenu(variable('number'), 'Add to Watch');
    const watched = workbench.rowsOf('Watch').filter({ hasText: 'number' });
    await watched.filter({ hasText: /\d+/ }).waitFor();
    await workbench.chooseInMenu(watched, 'Show as MPI Handle', 'Communicator (MPI_Comm)');
    await watched.filter({ hasText: kept }).waitFor();
    await workbench.screenshot('watched');

    // What is taken away in the text is not said any more.
    writeFileSync(path.join(folder, '.vscode/settings.json'), '{}');
    await watched.filter({ hasText: /number\s*[=:]?\s*-?\d+( ≠)?\s*$/ }).waitFor();
  });
});
