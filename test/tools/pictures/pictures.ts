/**
 * npm run pictures [-- RANKS…]: makes pictures of every view of the extension, in the real workbench, in the themes of VS Code
 * and with so many ranks, into test/e2e/screenshots. The ones that README shows go to docs/pictures.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { putLaunchJson } from '../../e2e/project';
import { Workbench } from '../../e2e/workbench';

const themes = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  contrast: 'Dark High Contrast',
  'light-contrast': 'Light High Contrast',
};
const published = path.join(__dirname, '../../../docs/pictures');
/** The pictures in README, with so many ranks. */
const inReadme = new Set(['stopped', 'grid-of-values']);
const shownRanks = 4;
const source = path.join(__dirname, 'plate.c');

type Theme = keyof typeof themes;

class Album {
  constructor(
    private readonly workbench: Workbench,
    private readonly ranks: number,
  ) {}

  /** In each theme; the dark one is what README shows. */
  async take(what: string): Promise<void> {
    for (const theme of Object.keys(themes) as Theme[]) {
      await this.workbench.setTheme(themes[theme]);
      const file = await this.workbench.screenshot(`${what}-${theme}`);
      if (theme === 'dark' && this.ranks === shownRanks && inReadme.has(what))
        copyFileSync(file, path.join(published, `${what}.png`));
    }
  }
}

function lineOf(marker: string): number {
  return (
    readFileSync(source, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(marker)) + 1
  );
}

async function takePictures(ranks: number): Promise<void> {
  const workbench = await Workbench.open(`pictures-${ranks}`, (folder) => {
    copyFileSync(source, path.join(folder, 'plate.c'));
    execFileSync('mpicc.openmpi', ['-g', '-O0', 'plate.c', '-o', 'plate'], { cwd: folder });
    putLaunchJson(folder, { program: '${workspaceFolder}/plate', ranks, collector: true });
  });
  try {
    await showViews(workbench, new Album(workbench, ranks));
  } catch (error) {
    console.error(await workbench.explain());
    throw error;
  } finally {
    await workbench.close();
  }
}

async function showViews(workbench: Workbench, album: Album): Promise<void> {
  const { page } = workbench;
  const picture = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
  const pictureOf = async (row: Locator, what: string, title: string): Promise<void> => {
    await workbench.pressInRow(row, 'Show as Picture');
    await picture.locator('svg').first().waitFor();
    await album.take(what);
    // VS Code writes no-break spaces. The middle button closes a tab.
    await page.locator('.tab', { hasText: new RegExp(title.replace(/ /g, '\\s')) }).click({ button: 'middle' });
  };
  await page.setViewportSize({ width: 1280, height: 800 });
  await workbench.openFile('plate.c');
  await workbench.setBreakpoint(lineOf('stop: edges on their way'));
  await workbench.startOrContinue();
  await workbench.untilStopped();
  await workbench.untilLocalsAreOpen();
  await workbench.showOnlyViews('Variables', 'Call Stack', 'Ranks');
  await album.take('stopped');
  await workbench.command('Focus on Stacks over Ranks View');
  await workbench.rowsOf('Stacks over Ranks').first().waitFor();
  await album.take('stacks');
  await workbench.command('Focus on Handles View');
  const handles = workbench.rowsOf('Handles');
  await handles.filter({ hasText: 'plate' }).first().waitFor();
  await album.take('handles');
  await pictureOf(handles.filter({ hasText: '"column"' }).first(), 'datatype', 'type map');
  await pictureOf(handles.filter({ hasText: '"plate"' }).first(), 'grid', ': grid');
  await workbench.command('Focus on Message Queues View');
  await workbench.rowsOf('Message Queues').first().waitFor();
  await album.take('queues');
  await workbench.command('Focus on Performance Variables View');
  const unexpected = workbench.rowsOf('Performance Variables').filter({ hasText: 'pml_ob1_unexpected' }).first();
  await unexpected.waitFor();
  await album.take('performance');
  await workbench.pressInRow(unexpected, 'Show as Live Chart');
  await workbench.webview.locator('canvas').first().waitFor();
  await album.take('chart');
  await workbench.pressInRow(unexpected, 'Show as Heat Map');
  await workbench.webview.getByRole('row').nth(1).waitFor();
  await album.take('heat-map');
  await page.locator('.tab', { hasText: /peers/ }).click({ button: 'middle' });
  await page.locator('.tab', { hasText: /MPI\sCharts/ }).click({ button: 'middle' });
  await workbench.command('MPI: Timeline of Calls and Events');
  await picture.getByRole('application').waitFor();
  await album.take('timeline');
  await page.locator('.tab', { hasText: /Timeline/ }).click({ button: 'middle' });
  await workbench.removeAllBreakpoints();
  await workbench.setBreakpoint(lineOf('stop: tile relaxed'));
  await workbench.startOrContinue();
  await workbench.untilAtLine(lineOf('stop: tile relaxed'));
  await workbench.command('MPI: Value over Ranks…');
  await page.locator('.quick-input-widget input').fill('own.residual');
  await page.keyboard.press('Enter');
  const value = workbench.rowsOf('Values over Ranks').filter({ hasText: 'own.residual' }).first();
  await value.filter({ hasText: /…| in ranks/ }).waitFor();
  await album.take('values');
  await pictureOf(value, 'bars', 'over ranks');
  await workbench.command('Focus on Handles View');
  await workbench.chooseInMenu(handles.filter({ hasText: '"plate"' }).first(), 'Show as Picture, Colored by a Value');
  await page.locator('.quick-input-widget input').fill('own.residual');
  await page.keyboard.press('Enter');
  await picture.locator('svg').first().waitFor();
  await album.take('grid-of-values');
  await page.locator('.tab', { hasText: /grid/ }).click({ button: 'middle' });
  const byCounter = 'Show as Picture, Colored by a Performance Variable';
  await workbench.chooseInMenu(handles.filter({ hasText: '"plate"' }).first(), byCounter);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'pml_ob1_unexpected_msgq_length' }).click();
  await workbench.webview.getByText('Colored by pml_ob1_unexpected_msgq_length').waitFor();
  await album.take('grid-of-counter');
}

async function main(): Promise<void> {
  mkdirSync(published, { recursive: true });
  const counts = process.argv.slice(2).map(Number);
  for (const ranks of counts.length === 0 ? [shownRanks, 16, 64] : counts) await takePictures(ranks);
}

void main();
