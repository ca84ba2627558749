/** Core files of a job in the workbench: by F5, from the palette, and from the explorer's context menu. */
import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { localHost } from '../../adapter/hosts/local-host';
import { ranksOfLauncher } from '../../adapter/launchers/launcher-tree';
import { writeCoresBesideTheProgram } from '../../scripts/core-pattern.mjs';
import { CoreFolder, endAllBy } from '../support/core-files';
import { eventually } from '../support/process-state';
import { launchers, type Mpi } from '../support/sample-job';
import { compile, mpiOfTest, putLaunchJson } from './project';
import type { Workbench } from './workbench';
import { workbenchOfEachTest } from './workbench-of-test';

const ranks = 4;

/** When SIGUSR1 comes, rank 2 follows a null pointer, and the others give up. */
const source = `#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void on_signal(int signal)
{
    told = signal;
}

static double residual_of(const double *field, int cells)
{
    return field[cells - 1]; /* the null pointer */
}

static void give_up(int rank)
{
    if (rank != 2)
        abort(); /* the others */
}

int main(int argc, char **argv)
{
    int rank, step = 40;
    double field[8] = {0};
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    signal(SIGUSR1, on_signal);
    printf("ready\\n");
    fflush(stdout);
    while (!told)
        usleep(1000);
    step += rank;
    give_up(rank);
    printf("step %d: %g\\n", step, residual_of(rank == 2 ? NULL : field, 1));
    MPI_Finalize();
    return 0;
}
`;

function lineOf(text: string): number {
  return source.split('\n').findIndex((line) => line.includes(text)) + 1;
}

/** The program, its source, and the cores of its ranks as core.RANK. */
async function putCores(folder: string, mpi: Mpi): Promise<void> {
  writeFileSync(path.join(folder, 'ocean.c'), source);
  compile(folder, 'ocean.c', mpi);
  const cores = new CoreFolder();
  const restore = writeCoresBesideTheProgram();
  const { command, args, env } = launchers[mpi];
  const program = [...cores.inFolderOfRank(), path.join(folder, 'ocean')];
  const job = spawn(command, [...args, '-n', String(ranks), ...program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let said = '';
    job.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually('all ranks are ready', () => said.split('ready').length === ranks + 1);
    await endAllBy('SIGUSR1', { pids: await ranksOfLauncher(localHost, job.pid!), launcherPid: job.pid! });
    for (const [rank, core] of cores.found('ocean', ranks)) renameSync(core, path.join(folder, `core.${rank}`));
  } finally {
    job.kill();
    restore();
    cores.remove();
  }
}

describe('the core files of a job in VS Code', () => {
  const openWorkbench = workbenchOfEachTest();

  async function open(name: string, mpi: Mpi, launchJson?: Record<string, unknown>): Promise<Workbench> {
    const workbench = await openWorkbench(name, async (folder) => {
      await putCores(folder, mpiOfTest(mpi));
      if (launchJson !== undefined) putLaunchJson(folder, launchJson);
    });
    await workbench.untilExtensionIsKnown();
    return workbench;
  }

  it('are one session by F5: how each rank died, merged stacks, variables, handles, and nothing that runs', async () => {
    const workbench = await open('cores', 'openmpi', { request: 'attach', cores: ['${workspaceFolder}/core.*'] });
    await workbench.page.keyboard.press('Control+Shift+D');
    await workbench.page.locator('.start-debug-action-item', { hasText: 'MPI' }).waitFor();
    await workbench.startOrContinue();
    await workbench.untilAtLine(lineOf('the null pointer'));
    const summary = [
      `rank 2: SIGSEGV at ocean.c:${lineOf('the null pointer')}, address 0x0`,
      `ranks 0-1,3: SIGABRT at ocean.c:${lineOf('the others')}`,
    ];
    for (const line of summary) await workbench.console.filter({ hasText: line }).first().waitFor();
    await workbench.untilLocalsAreOpen();
    await workbench.screenshot('died');

    await workbench.showOnlyViews('Call Stack', 'Variables');
    await workbench.callStack.filter({ hasText: 'main' }).last().click();
    await workbench.expand(workbench.variables.first());
    await workbench.variables.filter({ hasText: 'MPI_Comm "ocean" · rank 2 of 4' }).waitFor();
    await workbench.variables.filter({ hasText: /^\s*step\s*[=:]?\s*42 ≠\s*$/ }).waitFor();
    await workbench.screenshot('communicator');

    await workbench.showOnlyViews('Ranks');
    await workbench.command('Focus on Stacks over Ranks View');
    const stacks = workbench.rowsOf('Stacks over Ranks');
    await stacks.filter({ hasText: 'give_up' }).filter({ hasText: '[0-1,3]' }).first().waitFor();
    await workbench.rowsOf('Ranks', 'sidebar').filter({ hasText: 'rank 2' }).filter({ hasText: 'SIGSEGV' }).waitFor();
    await workbench.screenshot('stacks');

    await workbench.startOrContinue();
    await workbench.page
      .locator('.monaco-dialog-box, .notification-list-item-message', { hasText: 'this is a core file' })
      .first()
      .waitFor();
    await workbench.screenshot('continue');
  });

  it('are opened from the palette', async () => {
    const workbench = await open('palette', 'mpich');
    await workbench.command('MPI: Open Core Files…');
    const dialog = workbench.page.locator('.quick-input-widget', { hasText: 'Core files of one MPI job' });
    await dialog.waitFor();
    await workbench.screenshot('dialog');
    const input = dialog.locator('input').first();
    // The dialog begins elsewhere, for a moment.
    await eventually('the dialog is in the folder', async () => /\/project\/?$/.test(await input.inputValue()));
    await input.fill(`${(await input.inputValue()).replace(/\/?$/, '/')}core.2`);
    await input.press('Enter');
    await workbench.untilAtLine(lineOf('the null pointer'));
    await workbench.screenshot('opened');
  });

  it('are opened from the context menu of the explorer', async () => {
    const workbench = await open('explorer', 'mpich');
    const file = (name: string): Locator =>
      workbench.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`);
    // With Ctrl no editor opens, which would be selected instead.
    for (let rank = 0; rank < ranks; rank++) await file(`core.${rank}`).click({ modifiers: ['Control'] });
    const selected = workbench.page.locator('.explorer-folders-view .monaco-list-row.selected');
    await eventually('all core files are selected', async () => (await selected.count()) === ranks);
    await workbench.chooseInMenu(file('core.3'), 'Open Core Files');
    await workbench.untilAtLine(lineOf('the null pointer'));
    await workbench.screenshot('opened');
  });
});
