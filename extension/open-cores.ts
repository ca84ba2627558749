import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { debugType } from './manifest/manifest';

/** Starts a session on core files: those selected in the explorer, else those that the user picks. */
export async function openCores(clicked?: vscode.Uri, selected?: readonly vscode.Uri[]): Promise<void> {
  const files = selected?.length ? selected : clicked === undefined ? await chooseFiles() : [clicked];
  const [first] = files;
  if (first === undefined) return;
  const name = files.length === 1 ? `MPI: ${path.basename(first.fsPath)}` : l10n.t('MPI: {0} core files', files.length);
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(first), {
    type: debugType,
    request: 'attach',
    name,
    cores: files.map(({ fsPath }) => fsPath),
  });
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t('Core files of one MPI job'),
    openLabel: l10n.t('Open'),
    canSelectMany: true,
  });
  return chosen ?? [];
}
