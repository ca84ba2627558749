/** Characters of names that turn the text behind them round, or that nobody sees, are escaped in VS Code's own views. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, mpiOfTest, putLaunchJson } from './project';
import { workbenchOfEachTest } from './workbench-of-test';

/** A right-to-left override, a zero-width space and an isolate, in UTF-8; the thread is called so, too. */
const source = `#include <mpi.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
    static const char name[] = "ab\\xe2\\x80\\xae" "cd\\xe2\\x80\\x8b" "ef";
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, name);
    prctl(PR_SET_NAME, name);
    MPI_Barrier(ocean); /* named */
    MPI_Comm_free(&ocean);
    MPI_Finalize();
    return 0;
}
`;
const escaped = 'ab\\u202ecd\\u200bef';
const hidden = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

/** In the page: where the word is on the screen. */
const middleOfOcean = `(() => {
  const lines = [...document.querySelectorAll('.monaco-editor .view-line')];
  const line = lines.find((each) => each.textContent.includes('MPI_Barrier(ocean)'));
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const at = text.nodeValue.indexOf('ocean');
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 'ocean'.length);
    const box = range.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
  throw new Error('the line has no "ocean"');
})()`;

describe('names with characters that turn text round, in VS Code', () => {
  const openWorkbench = workbenchOfEachTest();

  it('are escaped in the views of variables, ranks and threads, and in the hover', async () => {
    const workbench = await openWorkbench('hidden-characters', (folder) => {
      writeFileSync(path.join(folder, 'ocean.c'), source);
      compile(folder, 'ocean.c', mpiOfTest('openmpi'));
      putLaunchJson(folder, { program: '${workspaceFolder}/ocean', ranks: 2 });
    });
    await workbench.openFile('ocean.c');
    await workbench.setBreakpoint(source.split('\n').findIndex((line) => line.includes('named')) + 1);
    await workbench.startOrContinue();
    await workbench.untilStopped();
    await workbench.expand(workbench.variables.first());
    await workbench.variables.filter({ hasText: 'ocean' }).filter({ hasText: escaped }).first().waitFor();
    const { x, y }: { x: number; y: number } = await workbench.page.evaluate(middleOfOcean);
    await workbench.page.mouse.move(x - 1, y);
    await workbench.page.mouse.move(x, y);
    const hover = workbench.page.locator('.debug-hover-widget');
    await hover.filter({ hasText: escaped }).waitFor();
    await workbench.screenshot('variables');
    await workbench.callStack.filter({ hasText: 'rank 1' }).first().waitFor();
    for (const place of [workbench.page.locator('.sidebar'), hover])
      assert.doesNotMatch(await place.innerText(), hidden);
  });
});
