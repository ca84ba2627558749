/** A rank that crashes while others run: which signal, where, and what can be done about the others. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, mpiOfTest, putLaunchJson } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

const source = `#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    volatile int *field = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d begins\\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        *field = 1; /* the null pointer */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`;

const line = source.split('\n').findIndex((text) => text.includes('the null pointer')) + 1;

describe('a rank that crashes, in VS Code', () => {
  const open = workbenchOfEachTest();

  it('has its signal and line in a message, which pauses the other ranks', async () => {
    const workbench = await open('crash', (folder) => {
      writeFileSync(path.join(folder, 'field.c'), source);
      compile(folder, 'field.c', mpiOfTest('mpich'));
      putLaunchJson(folder, { program: '${workspaceFolder}/field', ranks: 4 });
    });
    await workbench.openFile('field.c');
    await workbench.untilExtensionIsKnown();
    await workbench.page.keyboard.press('Control+Shift+D');
    const start = workbench.page.locator('.start-debug-action-item', { hasText: 'MPI' });
    // A key that is pressed while the view takes the focus is lost.
    await start.locator('.codicon-debug-start').click();
    await workbench.untilAtLine(line);
    const message = workbench.page.locator('.notification-list-item', {
      hasText: `Rank 2: SIGSEGV (Segmentation fault) in main at field.c:${line}. 3 other ranks run on.`,
    });
    await message.waitFor();
    await workbench.showOnlyViews('Ranks');
    const rows = workbench.rowsOf('Ranks', 'sidebar');
    await rows
      .filter({ hasText: 'rank 2' })
      .filter({ hasText: `main at field.c:${line} · SIGSEGV` })
      .waitFor();
    await rows.filter({ hasText: 'ranks 0-1,3' }).filter({ hasText: 'running' }).waitFor();
    await workbench.screenshot('message');
    await message.getByRole('button', { name: 'Pause the Others' }).click();
    const waiting = `MPI_Barrier · field.c:${line + 1} · pause`;
    await rows.filter({ hasText: 'ranks 0-1,3' }).filter({ hasText: waiting }).waitFor();
    await workbench.screenshot('paused');
  });
});
