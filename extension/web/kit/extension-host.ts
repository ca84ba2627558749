/** The other side of the page: the extension, which made it. */

interface VsCodeApi {
  postMessage(message: unknown): void;
}

/** VS Code gives it to every webview. */
declare function acquireVsCodeApi(): VsCodeApi;

/** Messages that reach the page before it says that it is ready would be lost: the extension waits for that. */
export function connect<ToPage, FromPage extends object>(
  receive: (message: ToPage) => void,
): (message: FromPage) => void {
  const vscode = acquireVsCodeApi();
  addEventListener('message', ({ data }: MessageEvent<ToPage>) => receive(data));
  vscode.postMessage({ kind: 'ready' });
  return (message) => vscode.postMessage(message);
}
