/**
 * npm run pictures:states -- MPI RANKS WIDTHxHEIGHT THEME…: pictures of one debugging session, from F5 to why the job hangs, as
 * its user sees it, into test/e2e/screenshots. Says what the page cuts and what lies outside the window.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { Workbench } from '../../e2e/workbench';

const themes: Record<string, string> = { dark: 'Dark Modern', light: 'Light Modern' };
const source = path.join(__dirname, 'ripple.cpp');
const line =
  readFileSync(source, 'utf8')
    .split('\n')
    .findIndex((each) => each.includes('stop: messages on their way')) + 1;

async function takeStates(mpi: string, ranks: number, size: string, theme: string): Promise<void> {
  const [width = 1280, height = 720] = size.split('x').map(Number);
  const workbench = await Workbench.open(`${mpi}-${ranks}-${size}-${theme}`, (folder) => {
    copyFileSync(source, path.join(folder, 'ripple.cpp'));
    execFileSync(`mpicxx.${mpi}`, ['-std=c++17', '-g', '-O0', 'ripple.cpp', '-o', 'ripple'], { cwd: folder });
  });
  const take = async (what: string): Promise<void> => {
    await workbench.screenshot(what);
    for (const fault of await faultsOf(workbench.page)) console.log(`${what}: ${fault}`);
  };
  try {
    await workbench.page.setViewportSize({ width, height });
    await workbench.openFile('ripple.cpp');
    await workbench.untilExtensionIsKnown();
    await workbench.setTheme(themes[theme] ?? theme);
    await showStates(workbench, ranks, take);
  } catch (error) {
    console.error(await workbench.explain());
    throw error;
  } finally {
    await workbench.close();
  }
}

async function showStates(workbench: Workbench, ranks: number, take: (what: string) => Promise<void>): Promise<void> {
  const { page } = workbench;
  await workbench.setBreakpoint(line);
  await workbench.startOrContinue();
  const question = page.locator('.quick-input-widget', { hasText: 'ripple: number of ranks' });
  await question.waitFor();
  await take('question');
  await page.locator('.quick-input-widget input').fill(String(ranks));
  await page.keyboard.press('Enter');
  await workbench.untilStopped();
  await workbench.untilLocalsAreOpen();
  await take('stopped');
  await workbench.step();
  await take('stepped');
  await workbench.command('Focus on Values over Ranks View');
  await workbench.rowsOf('Values over Ranks').filter({ hasText: 'ifferences in' }).waitFor();
  await take('values');
  await workbench.removeAllBreakpoints();
  await workbench.startOrContinue();
  await page.locator('.codicon-debug-stackframe').first().waitFor({ state: 'detached' });
  // The job needs a moment to come to where it hangs.
  await page.waitForTimeout(3000);
  await page.keyboard.press('F6');
  await workbench.untilStopped();
  await workbench.page.locator('.panel .pane .message').first().waitFor();
  await workbench
    .rowsOf('Why It Hangs')
    .filter({ hasText: /Deadlock|Whether/ })
    .waitFor();
  await page.waitForTimeout(1500);
  await take('hang');
  const again = workbench.rowsOf('Why It Hangs').filter({ hasText: 'Look Again' });
  if ((await again.count()) > 0) {
    await again.click();
    await workbench.page.locator('.panel .pane .message', { hasText: 'Rank 1' }).first().waitFor();
    await page.waitForTimeout(1500);
    await take('again');
  }
  await workbench.showOnlyViews('Ranks', 'Call Stack');
  await take('ranks');
  await workbench.command('Debug Console: Focus on Debug Console View');
  await take('console');
  await workbench.command('Focus on Stacks over Ranks View');
  await take('stacks');
  await page.keyboard.press('Shift+F5');
  await workbench.untilEnded();
  await take('ended');
}

/** What a user would have to reach for: rows that are cut, and views that begin or end outside the window. */
async function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const faults = [];
    for (const pane of document.querySelectorAll('.pane')) {
      const { left, right, width } = pane.getBoundingClientRect();
      if (width > 0 && (left < 0 || right > innerWidth + 1)) faults.push('outside: ' + pane.innerText.slice(0, 40));
    }
    for (const row of document.querySelectorAll('.panel .monaco-list-row, .sidebar .monaco-list-row')) {
      for (const part of row.querySelectorAll('.monaco-icon-label, .expression, .label-name, .value')) {
        const { width } = part.getBoundingClientRect();
        if (width > 0 && part.scrollWidth > part.clientWidth + 1)
          faults.push('cut ' + part.clientWidth + '/' + part.scrollWidth + ': ' + row.innerText.replace(/\\s+/g, ' ').slice(0, 120));
      }
    }
    return [...new Set(faults)];
  })()`);
}

const [mpi = 'openmpi', ranks = '4', size = '1280x720', ...wanted] = process.argv.slice(2);
void (async () => {
  for (const theme of wanted.length === 0 ? ['dark'] : wanted) await takeStates(mpi, Number(ranks), size, theme);
})();
