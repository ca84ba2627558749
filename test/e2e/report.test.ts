/** The page of `mpidbg report` in a real browser, opened as a file. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { openWorkshop, type Workshop } from '../support/compile';
import { eventually } from '../support/process-state';
import { runCli } from '../support/run-cli';
import { launchers } from '../support/sample-job';
import { launchChromium, requireChromium } from './chromium';
import { mpiOfTest } from './project';

const screenshots = join(__dirname, 'screenshots');

/** Names that would be obeyed, or would hide what they are: a script, an image, a bell, a turned direction. */
const program = `
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Comm script, image;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &script);
    MPI_Comm_set_name(script, "<script>document.title='owned'</script>");
    MPI_Comm_dup(MPI_COMM_WORLD, &image);
    MPI_Comm_set_name(image, "'\\"><img src=x onerror=alert(1)>\\a\\xe2\\x80\\xae</details>");
    MPI_Barrier(image);
    if (rank == 2) {
        printf("rank 2 sleeps\\n");
        fflush(stdout);
        sleep(600);
    }
    MPI_Barrier(script);
    MPI_Finalize();
    return 0;
}
`;

/** The second name as the page has it. */
const image = String.raw`"'\"><img src=x onerror=alert(1)>\u0007\u202e</details>"`;

describe('the page of mpidbg report in a browser', () => {
  let workshop: Workshop;
  let job: ChildProcess;
  let browser: Browser;
  let page: Page;
  /** What a page that is in order has none of: messages on the console, errors, dialogs, requests of other files. */
  const complaints: string[] = [];

  before(async () => {
    requireChromium();
    workshop = openWorkshop();
    const mpi = mpiOfTest('openmpi');
    const { command, args, env } = launchers[mpi];
    job = spawn(command, [...args, '-n', '4', workshop.compile('hostile', program, `mpicc.${mpi}`, ['-g'])], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    job.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await eventually('rank 2 sleeps', () => said.includes('rank 2 sleeps'));
    const file = join(workshop.directory, 'report.html');
    const { status, stderr } = await runCli(['report', '--launcher', String(job.pid), '-o', file]);
    assert.equal(status, 0, stderr);

    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'light' });
    page.on('console', (message) => complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url() !== pathToFileURL(file).href) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
  });

  afterEach(() => assert.deepEqual(complaints, []));

  after(async () => {
    await browser?.close();
    if (job?.exitCode === null) {
      const exited = once(job, 'exit');
      job.kill('SIGTERM');
      await exited;
    }
    workshop?.close();
  });

  /** The line of a live handle. */
  function handle(text: string, shown = page): Locator {
    const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    // Objects of the library's own say in their lines whose they are.
    return shown.locator('#handles .line', { hasText: new RegExp(`^MPI_Comm ${escaped}`) });
  }

  it('shows what was found, in its own style, light and dark', async () => {
    assert.equal(await page.title(), 'hostile on 4 ranks');
    assert.deepEqual(await page.locator('h2').allTextContents(), [
      'Summary',
      'Stacks',
      'Ranks that differ',
      'Handles',
      'Performance variables',
      'What could not be read',
    ]);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await screenshot('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.notEqual(await background(), light);
    await screenshot('dark');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('shows names as text, whatever they are', async () => {
    await handle(`"<script>document.title='owned'</script>"`).waitFor();
    await handle(image).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.title(), 'hostile on 4 ranks');
  });

  it('unfolds the fields of a handle', async () => {
    const line = handle('"<script>');
    const size = page.locator('details[open].entry tr', { has: page.locator('th', { hasText: /^size$/ }) });
    assert.equal(await size.count(), 0);
    await line.click();
    assert.equal(await size.locator('td').innerText(), '4');
    const rank = page.locator('details[open].entry tr', { has: page.locator('th', { hasText: /^rank$/ }) });
    assert.deepEqual((await rank.locator('td').innerText()).split(/\s+/), ['0', '0', '1', '1', '2', '2', '3', '3']);
    await screenshot('unfolded');
  });

  it('filters by rank and by text', async () => {
    const branches = page.locator('#stacks li[data-ranks] > details > summary:visible');
    const all = await branches.count();
    await page.getByRole('textbox', { name: 'Ranks' }).fill('2');
    assert.ok((await branches.count()) < all);
    for (const text of await branches.allInnerTexts()) assert.match(text, /^(0-3|2)\s/);
    await page.getByRole('textbox', { name: 'Ranks' }).fill('x');
    assert.equal(await page.getByRole('status').innerText(), 'write ranks like 0-3,7');
    assert.equal(await branches.count(), all, 'what is no rank set hides nothing');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('OWNED');
    await handle(image).waitFor({ state: 'hidden' });
    assert.ok(await handle('"<script>').isVisible());
    await screenshot('filtered');
    await page.getByRole('button', { name: 'Show all' }).click();
    await handle(image).waitFor();
  });

  it('can be read without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(page.url());
    await handle('"<script>', plain).click();
    await plain.locator('details[open].entry th', { hasText: /^size$/ }).waitFor();
    assert.ok(!(await plain.locator('form').isVisible()), 'the filter, which needs one, is not there');
    await context.close();
  });

  async function screenshot(what: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    await page.screenshot({ path: join(screenshots, `report-${what}.png`), fullPage: true });
  }
});
