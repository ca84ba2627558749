/** An editor tab with a page of ours (extension/web/), and the messages between them. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { visible } from '../../plugin-api/visible-text';

/** extension/web/NAME.ts, which the bundler makes dist/web/NAME.js and NAME.css of. */
export type PageName = 'picture' | 'charts' | 'timeline' | 'heat-map';

export interface PageUser<FromPage> {
  /** The page is there and knows nothing yet; again if it was hidden and is made anew. */
  ready(): void;
  receive(message: FromPage): void;
  closed(): void;
}

export interface PageOptions {
  name: PageName;
  title: string;
  /** Keeps the page as it is while it is hidden. Otherwise it is made anew. */
  isKept?: boolean;
}

export class WebPanel<ToPage, FromPage extends { kind: string }> implements vscode.Disposable {
  /** All of ours that are open: the next one comes beside the first, not into yet another column. */
  private static readonly open = new Set<vscode.WebviewPanel>();
  private readonly panel: vscode.WebviewPanel;

  constructor(extensionPath: string, { name, title, isKept = false }: PageOptions, user: PageUser<FromPage>) {
    const folder = vscode.Uri.joinPath(vscode.Uri.file(extensionPath), 'dist', 'web');
    const [neighbour] = WebPanel.open;
    const place = { viewColumn: neighbour?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, localResourceRoots: [folder], retainContextWhenHidden: isKept };
    this.panel = vscode.window.createWebviewPanel(`mpidbg.${name}`, visible(title), place, options);
    const { webview } = this.panel;
    WebPanel.open.add(this.panel);
    this.panel.onDidDispose(() => {
      WebPanel.open.delete(this.panel);
      user.closed();
    });
    webview.onDidReceiveMessage((message: FromPage | { kind: 'ready' }) => {
      if (message.kind === 'ready') user.ready();
      else user.receive(message as FromPage);
    });
    const at = (extension: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(folder, `${name}.${extension}`)).toString();
    webview.html = page(webview.cspSource, at('js'), at('css'));
  }

  get isVisible(): boolean {
    return this.panel.visible;
  }

  get onDidChangeVisibility(): vscode.Event<unknown> {
    return this.panel.onDidChangeViewState;
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  async post(message: ToPage): Promise<void> {
    await this.panel.webview.postMessage(message);
  }

  dispose(): void {
    this.panel.dispose();
  }
}

/** For extension/web/kit/translation.ts. A "<" could end the block. */
function translation(): string {
  return JSON.stringify(vscode.l10n.bundle ?? {}).replaceAll('<', '\\u003c');
}

/** Our own script and style alone; nothing else is loaded, and nothing of the debuggee is in it. */
function page(ownFiles: string, script: string, style: string): string {
  const nonce = randomBytes(16).toString('hex');
  return `<!DOCTYPE html>
<html lang="${vscode.l10n.bundle === undefined ? 'en' : vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${ownFiles}; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${style}">
</head>
<body>
<script id="translation" type="application/json">${translation()}</script>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
