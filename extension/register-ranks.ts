/** Registers the views and commands about ranks. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { resumeKeptSession } from './kept-sessions';
import { rankCommands, views } from './manifest/contributions';
import { debugType } from './manifest/manifest';
import { pickJob } from './job-pickers';
import { registerVariables } from './variables/variable-commands';
import { showRanksInEditors } from './editor/rank-lines';
import { registerPictureCommands } from './pictures/picture-commands';
import { PicturePanels } from './pictures/picture-panels';
import { showFocusInStatusBar } from './views/focus-status';
import { Handles, textOfRow } from './views/handles-view';
import { showHangLine } from './views/hang-line';
import { showHang } from './views/hang-view';
import { queueRows } from './views/queues-view';
import { rankRows } from './views/ranks-view';
import type { RegisterCommand, Row } from './views/row';
import { showRows, type LoadRows, type RowView } from './views/row-tree';
import { stackRows } from './views/stacks-view';
import { Values } from './views/values-view';
import { actOn, focusOn, saveFocus, setFocus, setScope } from './ranks/focus-commands';
import { openLocalsAtFirstStop } from './ranks/first-stop';
import { showAttachedSessions } from './ranks/attached-session';
import { tellCrashes } from './ranks/crash-notice';
import { goToVariable } from './ranks/go-to-variable';
import { JobChanges } from './ranks/job-changes';
import { JobClient } from './ranks/job-client';
import type { RowTarget } from './ranks/row-target';
import { lookAgain } from './ranks/look-again';
import { tellStepsThatWait } from './ranks/step-waits';
import { showFocusedRanks, showNeighbour, showRank, showRow } from './ranks/selection';
import { registerValueCommands } from './views/value-commands';

/** The buttons in the rows of ranks. */
const movements = [
  ['continueRanks', 'continue'],
  ['stepRanks', 'next'],
  ['pauseRanks', 'pause'],
] as const;

export function registerRanks(context: vscode.ExtensionContext): vscode.Disposable {
  const changes = new JobChanges();
  const pictures = new PicturePanels(context.extensionPath);
  const values = new Values(context.workspaceState);
  const ranksView = showRows(views.ranks, changes, rankRows);
  const tree = (id: string, load: LoadRows): RowView => showRows(id, changes, load);
  const valuesView = tree(views.values, (job) => values.rows(job));
  const handles = new Handles();
  const handlesView = showRows(views.handles, changes, (job) => handles.rows(job));
  const register: RegisterCommand = (id, run) =>
    vscode.commands.registerCommand(id, (row?: Row) => tellingErrors(() => run(row)));
  const command = (name: keyof typeof rankCommands, run: (row?: Row) => unknown): vscode.Disposable =>
    register(rankCommands[name], run);
  const clicked = (name: keyof typeof rankCommands, show: (target: RowTarget) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(rankCommands[name], (target: RowTarget) => tellingErrors(() => show(target)));
  return vscode.Disposable.from(
    changes,
    pictures,
    showFocusInStatusBar(changes),
    showFocusedRanks(),
    showRanksInEditors(changes),
    ranksView,
    showHangLine(ranksView.view, changes),
    openLocalsAtFirstStop(),
    showAttachedSessions(),
    tellCrashes(),
    tellStepsThatWait(),
    tree(views.stacks, stackRows),
    valuesView,
    // They are those of the frame that is selected.
    vscode.debug.onDidChangeActiveStackItem(() => void valuesView.refresh()),
    handlesView,
    showHang(changes),
    tree(views.queues, queueRows),
    registerVariables(context.extensionPath, changes, pictures, register),
    command('attach', attachToJob),
    command('resume', resumeKeptSession),
    command('setFocus', setFocus),
    command('focusRanks', (row) => (row?.ranks === undefined ? undefined : focusOn(row.ranks))),
    clicked('showRank', showRank),
    clicked('showRow', showRow),
    command('focusAll', () => focusOn('all')),
    command('saveFocus', saveFocus),
    command('setScope', setScope),
    command('continueScope', () => actOn('continue')),
    command('stepScope', () => actOn('next')),
    command('pauseScope', () => actOn('pause')),
    ...movements.map(([name, movement]) =>
      command(name, (row) =>
        row?.ranks === undefined ? undefined : JobClient.active()?.actOnRanks(movement, row.ranks),
      ),
    ),
    registerValueCommands(values, changes, tellingErrors),
    command('filterHandles', async () => {
      const filter = await vscode.window.showInputBox({
        title: l10n.t('MPI: Handles that have this text'),
        placeHolder: l10n.t('a name, a tag, a datatype; empty: all'),
        value: handles.filter,
      });
      if (filter === undefined) return;
      handles.filter = filter;
      handlesView.view.description = filter === '' ? undefined : `"${filter}"`;
      changes.now();
    }),
    command('copyHandle', (row) => (row === undefined ? undefined : vscode.env.clipboard.writeText(textOfRow(row)))),
    command('goToVariable', (row) => (row?.handle === undefined ? undefined : goToVariable(row.handle()))),
    registerPictureCommands((picture) => pictures.show(picture), tellingErrors),
    command('refresh', () => changes.now()),
    command('stepIntoAnyway', () => JobClient.active()?.stepIntoAnyway()),
    command('nextRank', () => showNeighbour(1)),
    command('previousRank', () => showNeighbour(-1)),
    command('lookAgain', lookAgain),
    command('whyHang', () => vscode.commands.executeCommand(`${views.hang}.focus`)),
  );
}

/** A refusal by the adapter is an answer to what the user typed, not a failed command. */
async function tellingErrors(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

async function attachToJob(): Promise<void> {
  const picked = await pickJob();
  if (picked === undefined) return;
  const configuration = { type: debugType, request: 'attach', name: picked.name, ...picked.job };
  // VS Code shows this by itself only where a launched program stops.
  if (await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], configuration))
    await vscode.commands.executeCommand('workbench.view.debug');
}
