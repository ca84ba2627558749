import * as vscode from 'vscode';

/** What the workspace sets for every launch. */
export function launchDefaults(folder: vscode.WorkspaceFolder | undefined): Record<string, unknown> {
  const { type, request, name, ...attributes } = vscode.workspace
    .getConfiguration('mpidbg', folder)
    .get<Record<string, unknown>>('launchDefaults', {});
  return attributes;
}

/** The launcher that it sets; undefined: none. */
export function defaultLauncher(folder: vscode.WorkspaceFolder | undefined): string | undefined {
  const { launcher } = launchDefaults(folder);
  return typeof launcher === 'string' ? launcher : undefined;
}
