/** The editor tab that shows a picture: one for each title. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { visible } from '../../plugin-api/visible-text';
import { rankCommands } from '../manifest/contributions';
import type { Picture } from './picture';

export class PicturePanels implements vscode.Disposable {
  private readonly panels = new Map<string, { panel: vscode.WebviewPanel; picture: Picture }>();

  constructor(private readonly extensionPath: string) {}

  async show(picture: Picture): Promise<void> {
    const { title } = picture;
    const open = this.panels.get(title);
    if (open !== undefined) {
      open.picture = picture;
      open.panel.reveal(undefined, true);
      await open.panel.webview.postMessage(shownOf(picture));
      return;
    }
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: false };
    const panel = vscode.window.createWebviewPanel('mpidbg.picture', visible(title), place, options);
    const shown = { panel, picture };
    this.panels.set(title, shown);
    panel.onDidDispose(() => this.panels.delete(title));
    // A tab that was hidden is made anew, and says so again.
    panel.webview.onDidReceiveMessage(({ ready, clicked }: { ready?: boolean; clicked?: number }) => {
      if (ready === true) void panel.webview.postMessage(shownOf(shown.picture));
      const shape = clicked === undefined ? undefined : shown.picture.shapes[clicked];
      if (shape?.kind === 'rank') void vscode.commands.executeCommand(rankCommands.showRow, shape.target);
    });
    panel.webview.html = await page(path.join(this.extensionPath, 'dist'));
  }

  dispose(): void {
    for (const { panel } of this.panels.values()) panel.dispose();
  }
}

/** Hidden characters of the debuggee are made visible. */
function shownOf(picture: Picture): Picture {
  return JSON.parse(JSON.stringify(picture), (_key, value: unknown) =>
    typeof value === 'string' ? visible(value) : value,
  ) as Picture;
}

/** Our own script and style alone; nothing is loaded, and nothing of the debuggee is in it. */
async function page(folder: string): Promise<string> {
  const [script, style] = await Promise.all(
    ['picture-view.js', 'picture-view.css'].map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  const nonce = randomBytes(16).toString('hex');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${style}</style>
</head>
<body><script nonce="${nonce}">${script}</script></body>
</html>`;
}
