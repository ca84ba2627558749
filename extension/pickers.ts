import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visible } from '../plugin-api/visible-text';
import { runBuild } from './build-task';
import { buildOf } from './builds';
import { defaultLauncher } from './launch-defaults';
import { findPrograms, isNamedLike } from './programs';

/**
 * The program to debug: the one named like the file in the editor, else the one that the user picks. Undefined if the
 * user cancels.
 */
export async function pickProgram(
  folder: vscode.WorkspaceFolder | undefined = folderOfEditor(),
): Promise<string | undefined> {
  const source = vscode.window.activeTextEditor?.document.uri.fsPath;
  const root = folder?.uri.fsPath ?? (source && path.dirname(source));
  const programs = root ? await findPrograms(root, source) : [];
  const [first, second] = programs;
  if (first && source && isNamedLike(first, source) && !(second && isNamedLike(second, source))) return first.path;

  const isMissing = source !== undefined && !programs.some((each) => isNamedLike(each, source));
  const build =
    isMissing && folder
      ? await buildOf(source, undefined, folder.uri.fsPath, { launcher: defaultLauncher(folder) })
      : undefined;
  const making =
    build?.program === undefined
      ? undefined
      : {
          label: `$(tools) ${visible(l10n.t('Build {0}', path.basename(build.program)))}`,
          description: visible(build.command.join(' ')),
          path: build.program,
        };
  const browse = { label: `$(folder-opened) ${l10n.t('Browse…')}`, path: undefined };
  const found = programs.map((program) => ({
    label: visible(path.basename(program.path)),
    description: root && visible(path.relative(root, path.dirname(program.path))),
    path: program.path,
  }));
  const chosen = await vscode.window.showQuickPick([...(making ? [making] : []), ...found, browse], {
    title: l10n.t('MPI program to debug'),
    placeHolder:
      found.length > 0
        ? l10n.t('Choose a program')
        : l10n.t('No compiled program found here: build it with mpicc -g or mpifort -g'),
  });
  if (chosen !== undefined && chosen === making && build && folder)
    return (await runBuild(build, folder)) ? chosen.path : undefined;
  if (chosen !== browse) return chosen?.path;
  const [file] =
    (await vscode.window.showOpenDialog({
      title: l10n.t('MPI program to debug'),
      openLabel: l10n.t('Debug'),
      defaultUri: folder?.uri,
    })) ?? [];
  return file?.fsPath;
}

function folderOfEditor(): vscode.WorkspaceFolder | undefined {
  const document = vscode.window.activeTextEditor?.document;
  const folder = document && vscode.workspace.getWorkspaceFolder(document.uri);
  return folder ?? vscode.workspace.workspaceFolders?.[0];
}
