/** Builds the program before F5 starts it, if the user wants to: as a task of VS Code, in a terminal. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visible } from '../plugin-api/visible-text';
import { buildOf, isOlder, type Build } from './builds';
import { defaultLauncher } from './launch-defaults';
import { debugType } from './manifest/manifest';

/** Whether the program is to be started: built first if it is older than the source in the editor and the user wants so. */
export async function isReadyToStart(program: string, folder: vscode.WorkspaceFolder | undefined): Promise<boolean> {
  const source = vscode.window.activeTextEditor?.document.uri.fsPath;
  if (source === undefined || folder === undefined || !(await isOlder(program, source))) return true;
  const build = await buildOf(source, program, folder.uri.fsPath, { launcher: defaultLauncher(folder) });
  if (build === undefined) return true;
  const first = { label: `$(tools) ${l10n.t('Build it first')}`, description: visible(build.command.join(' ')) };
  const asItIs = { label: `$(debug-start) ${l10n.t('Start it as it is')}` };
  const chosen = await vscode.window.showQuickPick([first, asItIs], {
    title: visible(l10n.t('{0} is older than {1}', path.basename(program), path.basename(source))),
  });
  return chosen === first ? runBuild(build, folder) : chosen === asItIs;
}

/** Whether it was built; a failure is told. */
export async function runBuild(build: Build, folder: vscode.WorkspaceFolder): Promise<boolean> {
  const [program, ...args] = build.command;
  const task = new vscode.Task(
    { type: debugType, command: build.command },
    folder,
    l10n.t('build'),
    'MPI',
    new vscode.ProcessExecution(program, args, { cwd: build.folder }),
    ['$gcc'],
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, clear: true };
  const status = await endOf(task);
  if (status === 0) return true;
  void vscode.window.showErrorMessage(
    visible(l10n.t('"{0}" has failed: the terminal shows why.', build.command.join(' '))),
  );
  return false;
}

/** Its exit status; undefined: it was not started, or ended by the user. */
async function endOf(task: vscode.Task): Promise<number | undefined> {
  const ended = new Promise<number | undefined>((resolve) => {
    const listening = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name !== task.name || execution.task.source !== task.source) return;
      listening.dispose();
      resolve(exitCode);
    });
  });
  await vscode.tasks.executeTask(task);
  return ended;
}
