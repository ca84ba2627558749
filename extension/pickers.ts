import path from 'node:path';
import * as vscode from 'vscode';
import { findLaunchers } from './launchers';
import { findPrograms, isNamedLike } from './programs';

/**
 * The program to debug: the one that is named like the file in the editor, else what the user chooses.
 * Undefined when the user gives up.
 */
export async function pickProgram(
  folder: vscode.WorkspaceFolder | undefined = folderOfEditor(),
): Promise<string | undefined> {
  const source = vscode.window.activeTextEditor?.document.uri.fsPath;
  const root = folder?.uri.fsPath ?? (source && path.dirname(source));
  const programs = root ? await findPrograms(root, source) : [];
  const [first, second] = programs;
  if (first && source && isNamedLike(first, source) && !(second && isNamedLike(second, source))) return first.path;

  const browse = { label: '$(folder-opened) Browse…', path: undefined };
  const found = programs.map((program) => ({
    label: path.basename(program.path),
    description: root && path.relative(root, path.dirname(program.path)),
    path: program.path,
  }));
  const chosen = await vscode.window.showQuickPick([...found, browse], {
    title: 'MPI program to debug',
    placeHolder:
      found.length > 0 ? 'Choose a program' : 'No compiled program found here: build it with mpicc -g or mpifort -g',
  });
  if (chosen !== browse) return chosen?.path;
  const [file] =
    (await vscode.window.showOpenDialog({
      title: 'MPI program to debug',
      openLabel: 'Debug',
      defaultUri: folder?.uri,
    })) ?? [];
  return file?.fsPath;
}

function folderOfEditor(): vscode.WorkspaceFolder | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const folder = document && vscode.workspace.getWorkspaceFolder(document.uri);
  return folder ?? vscode.workspace.workspaceFolders?.[0];
}

/** The process id of the running launcher that the user chooses, as text; undefined when the user gives up. */
export async function pickLauncher(): Promise<string | undefined> {
  const launchers = (await findLaunchers()).map(({ pid, commandLine }) => ({
    label: String(pid),
    description: commandLine,
  }));
  const chosen = await vscode.window.showQuickPick(launchers, {
    title: 'MPI job to attach to',
    placeHolder: launchers.length > 0 ? 'Choose a launcher' : 'No mpirun, mpiexec or srun of yours is running here',
    matchOnDescription: true,
  });
  return chosen?.label;
}
