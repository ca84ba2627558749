import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { launchChromium, requireChromium } from './chromium';
import { processesOutliving, processesWithTmpdir } from './processes';
import { VsCodeServer } from './vs-code-server';
import { patienceMs } from '../support/patience';
import { eventually } from '../support/process-state';

const screenshots = path.join(__dirname, 'screenshots');

/**
 * The window of the real VS Code in a browser, as its user sees it: a folder is open, the packaged extension is
 * installed. Every method waits until what it names can be seen; a wait that takes a minute throws.
 */
export class Workbench {
  private shots = 0;

  private constructor(
    private readonly name: string,
    private readonly scratch: string,
    private readonly server: VsCodeServer,
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  /** @param prepare fills the folder that will be open; @param name begins the names of the screenshots */
  static async open(name: string, prepare: (folder: string) => void | Promise<void>): Promise<Workbench> {
    requireChromium();
    mkdirSync(screenshots, { recursive: true });
    const scratch = mkdtempSync(path.join(tmpdir(), 'w-'));
    const opened: (() => Promise<void>)[] = [];
    try {
      const folder = path.join(scratch, 'project');
      mkdirSync(folder);
      await prepare(folder);
      const server = await VsCodeServer.start(scratch);
      opened.push(() => server.stop());
      const browser = await launchChromium();
      opened.push(() => browser.close());
      const page = await openPage(browser, `http://127.0.0.1:${server.port}/?folder=${folder}`);
      return new Workbench(name, scratch, server, browser, page);
    } catch (error) {
      for (const close of opened.reverse()) await close();
      rmSync(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /** Opens a file that is directly in the folder, from the Explorer. */
  async openFile(name: string): Promise<void> {
    await this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).dblclick();
    await this.page.locator(`.monaco-editor[data-uri$="/${name}"] .view-line`).first().waitFor();
  }

  /** Puts the cursor on a line of the open editor. */
  async goToLine(line: number): Promise<void> {
    await this.page.keyboard.press('Control+g');
    await this.page.locator('.quick-input-widget input').fill(`:${line}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await this.page
      .locator('.monaco-editor.focused .line-numbers.active-line-number', { hasText: String(line) })
      .waitFor();
  }

  /** Runs a command of the palette by its title. A stop that VS Code shows meanwhile takes the focus, which closes the palette. */
  async command(title: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    for (const deadline = Date.now() + patienceMs; ;) {
      await this.page.keyboard.press('F1');
      const isRun = await this.page
        .locator('.quick-input-widget input')
        .fill(`>${title}`, { timeout: 5000 })
        .then(() => row.click({ timeout: 5000 }))
        .then(
          () => true,
          () => false,
        );
      if (isRun) return;
      if (Date.now() > deadline) throw new Error(`the palette does not run "${title}"`);
    }
  }

  /** Waits until VS Code knows the commands, menus and debug type of the extension, which it does only after its window is open. */
  async untilExtensionIsKnown(): Promise<void> {
    await this.untilCommandIsKnown('MPI: Open Core Files…');
    // Before it is there, F5 does nothing.
    await this.untilCommandIsKnown('Debug: Start Debugging');
  }

  private async untilCommandIsKnown(title: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    for (const deadline = Date.now() + patienceMs; ;) {
      await this.page.keyboard.press('F1');
      await this.page.locator('.quick-input-widget input').fill(`>${title}`);
      const isThere = await row.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
      await this.page.keyboard.press('Escape');
      if (isThere) return;
      if (Date.now() > deadline) throw new Error(`the palette has no "${title}"`);
    }
  }

  /** Clicks left of a line of the open editor that has no breakpoint yet. */
  async setBreakpoint(line: number): Promise<void> {
    await this.goToLine(line);
    const number = this.page.locator('.monaco-editor .active-line-number', { hasText: String(line) });
    const place = await number.boundingBox();
    if (!place) throw new Error(`line ${line} is not in the editor`);
    const x = place.x - 6;
    const y = place.y + place.height / 2;
    // The pale dot under the pointer says that VS Code has read, from the manifests of the extensions, that this
    // language takes breakpoints. It comes with a movement of the mouse only.
    const hint = this.page.locator('.glyph-margin-widgets .codicon-debug-hint');
    for (const deadline = Date.now() + patienceMs; (await hint.count()) === 0; await delay(100)) {
      if (Date.now() > deadline) throw new Error(`line ${line} takes no breakpoint`);
      await this.page.mouse.move(x, place.y - place.height);
      await this.page.mouse.move(x, y);
    }
    const before = await this.breakpoints.count();
    await this.page.mouse.click(x, y);
    await this.breakpoints.nth(before).waitFor();
  }

  async removeAllBreakpoints(): Promise<void> {
    await this.command('Remove All Breakpoints');
    await this.breakpoints.first().waitFor({ state: 'detached' });
  }

  /** The breakpoint signs beside the lines of the open editor. */
  get breakpoints(): Locator {
    return this.page.locator('.glyph-margin-widgets [class*="codicon-debug-breakpoint"]');
  }

  /** Presses F5: starts debugging, or continues. */
  async startOrContinue(): Promise<void> {
    await this.page.keyboard.press('F5');
  }

  /** Presses F10: steps over the line. */
  async step(): Promise<void> {
    await this.page.keyboard.press('F10');
  }

  /** Waits for the focused thread to have stopped in this line of the file in the editor. */
  async untilAtLine(line: number): Promise<void> {
    await this.untilStopped();
    await this.page.locator('.monaco-editor .active-line-number', { hasText: String(line) }).waitFor();
  }

  /** Waits for the editor to show the line in which the focused thread has stopped. */
  async untilStopped(): Promise<void> {
    await this.page.locator('.codicon-debug-stackframe').first().waitFor();
  }

  /**
   * Waits for the Variables view to show the locals of the first stop: VS Code shows its thread twice before that, and what
   * is clicked in between is lost.
   */
  async untilLocalsAreOpen(): Promise<void> {
    await this.page.locator('.debug-variables .monaco-list-row[aria-level="2"]').first().waitFor();
  }

  /** Waits for the debug session to end. */
  async untilEnded(): Promise<void> {
    await this.page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  }

  /** The rows of the Call Stack view. */
  get callStack(): Locator {
    return this.page.locator('.debug-call-stack .monaco-list-row');
  }

  /** The row of a rank's first thread in the Call Stack view. */
  rank(rank: number): Locator {
    return this.page.locator(
      `.debug-call-stack .monaco-list-row[aria-label^="Thread rank ${rank} "]:not([aria-label*="·"])`,
    );
  }

  /** The row of a rank's innermost frame: the one below that of its first thread, which is expanded. */
  innermostFrame(rank: number): Locator {
    const row = "[contains(@class, 'monaco-list-row')]";
    const own = `//*${row}[starts-with(@aria-label, 'Thread rank ${rank} ')][not(contains(@aria-label, '·'))]`;
    return this.page
      .locator('.debug-call-stack')
      .locator(`xpath=//*${row}[number(@data-index) = number(${own}/@data-index) + 1]`);
  }

  /** The rows of the Variables view. */
  get variables(): Locator {
    return this.page.locator('.debug-variables .monaco-list-row');
  }

  /** The page in the webview that can be seen. */
  get webview(): FrameLocator {
    return this.page
      .locator('iframe.webview')
      .filter({ visible: true })
      .contentFrame()
      .frameLocator('iframe#active-frame');
  }

  /** The rows of a view in the side bar or the panel, by its title. */
  rowsOf(title: string, part: 'sidebar' | 'panel' | 'part' = 'part'): Locator {
    // A view that is alone in its tab of the panel shows no header.
    const named = this.page.locator(`.pane-header[aria-label^="${title} " i], .monaco-list[aria-label="${title}"]`);
    return this.page.locator(`.${part} .pane`, { has: named }).locator('.monaco-list-row');
  }

  /** Presses a button of a row that is there while the pointer is on the row. */
  async pressInRow(row: Locator, button: string): Promise<void> {
    await row.hover();
    await row.getByRole('button', { name: button }).click();
  }

  /** In *MPI: Set Focus…*, where a set of ranks can be typed at once. */
  async focusOn(ranks: string): Promise<void> {
    await this.command('MPI: Set Focus…');
    await this.page.locator('.quick-input-widget input').fill(ranks);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: `Ranks ${ranks}` }).click();
  }

  /** The entries of the status bar. */
  get statusBar(): Locator {
    return this.page.locator('.statusbar-item');
  }

  /** The rows of the Debug Console. */
  get console(): Locator {
    return this.page.locator('.repl .monaco-list-row');
  }

  /** Gives the room of the other debug views to these, by their titles. */
  async showOnlyViews(...titles: string[]): Promise<void> {
    // The explanation of a button that was clicked lies over them while the mouse stays there.
    await this.page.mouse.move(0, 0);
    for (const pane of await this.page.locator('.sidebar .pane-header').all()) {
      const label = (await pane.getAttribute('aria-label')) ?? '';
      const isWanted = titles.some((title) => label.startsWith(title));
      if (((await pane.getAttribute('aria-expanded')) === 'true') !== isWanted) await pane.click();
    }
  }

  /** Expands a row of a tree, if it is not yet; VS Code may do the same at the same time, so that a click collapses it. */
  async expand(row: Locator): Promise<void> {
    await row.waitFor();
    const isExpanded = async (): Promise<boolean> => (await row.getAttribute('aria-expanded')) === 'true';
    for (const deadline = Date.now() + patienceMs; !(await isExpanded());) {
      if (Date.now() > deadline) throw new Error('the row does not expand');
      await row.locator('.monaco-tl-twistie').click();
      for (const soon = Date.now() + 1000; Date.now() < soon && !(await isExpanded());) await delay(50);
    }
  }

  /** Chooses an entry of the menu that a right click opens: the labels from the menu to the submenu's entry. */
  async chooseInMenu(place: Locator, ...labels: string[]): Promise<void> {
    await place.click({ button: 'right' });
    const menu = this.page.locator('.monaco-menu');
    await menu.first().waitFor();
    const entry = (label: string): Locator => menu.locator('.action-item', { hasText: label }).last();
    for (const label of labels.slice(0, -1)) {
      await entry(label).hover();
      await menu.nth(1).waitFor();
    }
    // VS Code takes no click in the first moments of a menu, when it may have been meant for what was there before.
    for (const deadline = Date.now() + patienceMs; (await menu.count()) > 0; await delay(200)) {
      if (Date.now() > deadline) throw new Error(`the menu stays open at ${labels.join(', ')}`);
      await entry(labels.at(-1) as string)
        .click({ timeout: 2000 })
        .catch(() => undefined);
    }
  }

  /** A word of a line of the open editor that holds this text; only what is coloured by itself is a word of its own. */
  wordInLine(lineText: string, word: string): Locator {
    return this.page
      .locator('.monaco-editor .view-line', { hasText: lineText })
      .locator('span > span', { hasText: new RegExp(`^${word}$`) })
      .first();
  }

  /**
   * What happens to a window that is lost: its extension host is gone without a word. VS Code starts another one here, and
   * knows no debug adapter until then.
   */
  async killExtensionHost(): Promise<void> {
    const host = this.extensionHost();
    process.kill(host, 'SIGKILL');
    await eventually('another extension host runs', () => this.extensionHosts().some((pid) => pid !== host));
  }

  /** The process in which the extension runs. */
  extensionHost(): number {
    const [host, other] = this.extensionHosts();
    if (host === undefined || other !== undefined) throw new Error('there is not one extension host');
    return host;
  }

  private extensionHosts(): number[] {
    const all = processesWithTmpdir(this.scratch);
    return all.flatMap(({ pid, commandLine }) => (/--type=extensionHost/.test(commandLine) ? [pid] : []));
  }

  /** Answers a question that VS Code asks before it goes on. */
  async answer(button: string): Promise<void> {
    await this.page.locator('.monaco-dialog-box').getByRole('button', { name: button }).click();
  }

  /** Keeps a picture of the window in test/e2e/screenshots. Returns the file. */
  async screenshot(what: string): Promise<string> {
    this.shots += 1;
    const file = path.join(screenshots, `${this.name}-${this.shots}-${what}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** A color theme of VS Code, by its label. */
  async setTheme(label: string): Promise<void> {
    await this.command('Preferences: Color Theme');
    const { page } = this;
    await page.locator('.quick-input-widget input[placeholder*="Theme"]').fill(label);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    const isLight = label.includes('Light');
    const kind = label.includes('High Contrast') ? (isLight ? 'hc-light' : 'hc-black') : isLight ? 'vs' : 'vs-dark';
    await page.locator(`.monaco-workbench.${kind}`).waitFor();
  }

  /** What helps to understand a failure, beside a last screenshot. */
  async explain(): Promise<string> {
    await this.screenshot('failed');
    const texts = async (rows: Locator): Promise<string> => (await rows.allInnerTexts()).join('\n  ');
    const toasts = this.page.locator('.notification-list-item-message, .monaco-dialog-box');
    return [
      `Call Stack:\n  ${await texts(this.callStack)}`,
      `Variables:\n  ${await texts(this.variables)}`,
      `Debug Console:\n  ${await texts(this.console)}`,
      `Messages:\n  ${await texts(toasts)}`,
    ].join('\n');
  }

  /**
   * Closes the window and ends the server.
   * @returns the command lines of the processes that outlived it by ten seconds: ended now, but a defect
   */
  async close(): Promise<string[]> {
    await this.browser.close();
    await this.server.stop();
    const left = await processesOutliving(this.scratch, 10_000);
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    rmSync(this.scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    return left.map(({ commandLine }) => commandLine);
  }
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1000 } });
  // Nothing leaves the machine.
  await context.route(
    (target) => target.hostname !== '127.0.0.1' && target.protocol.startsWith('http'),
    (route) => route.abort(),
  );
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto(url);
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  return page;
}
