/** Lines of sources, shown where the user reads them. */
import * as vscode from 'vscode';

/** Selects the range, and leaves the keyboard where it is. */
export async function showSource(uri: vscode.Uri, selection: vscode.Range): Promise<void> {
  const viewColumn = columnFor(uri);
  await vscode.window.showTextDocument(uri, { selection, preserveFocus: true, ...(viewColumn && { viewColumn }) });
}

/** Where the file is visible, else where another one is: after a click in a picture, VS Code's own choice would hide that. */
function columnFor(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const editors = vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
  const own = editors.find(({ document }) => document.uri.toString() === uri.toString());
  const active = editors.find((each) => each === vscode.window.activeTextEditor);
  return (own ?? active ?? editors[0])?.viewColumn;
}
