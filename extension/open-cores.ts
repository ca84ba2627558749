import path from 'node:path';
import * as vscode from 'vscode';
import { debugType } from './manifest/manifest';

/** Starts a session on core files: those selected in the explorer, else those that the user picks. */
export async function openCores(clicked?: vscode.Uri, selected?: readonly vscode.Uri[]): Promise<void> {
  const files = selected?.length ? selected : clicked === undefined ? await chooseFiles() : [clicked];
  const [first] = files;
  if (first === undefined) return;
  const name = files.length === 1 ? path.basename(first.fsPath) : `${files.length} core files`;
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(first), {
    type: debugType,
    request: 'attach',
    name: `MPI: ${name}`,
    cores: files.map(({ fsPath }) => fsPath),
  });
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  const chosen = await vscode.window.showOpenDialog({
    title: vscode.l10n.t('Core files of one MPI job'),
    openLabel: vscode.l10n.t('Open'),
    canSelectMany: true,
  });
  return chosen ?? [];
}
