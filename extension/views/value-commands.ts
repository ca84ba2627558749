/** The commands of the Values over Ranks view: which expressions it has. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { expressionAt } from '../fortran/expression';
import { rankCommands, views } from '../manifest/contributions';
import { fortranLanguageIds } from '../manifest/languages';
import type { VariableMenuItem } from '../pictures/handle-picture';
import type { JobChanges } from '../ranks/job-changes';
import type { Row } from './row';
import type { Values } from './values-view';

/** What VS Code passes: a row of ours, a variable of its Variables view, or in an editor the address of the file. */
type Clicked = Row | VariableMenuItem | vscode.Uri | undefined;

/** `tellingErrors`: shows what the adapter refuses. */
export function registerValueCommands(
  values: Values,
  changes: JobChanges,
  tellingErrors: (run: () => unknown) => Promise<void>,
): vscode.Disposable {
  const add = async (expression: string | undefined): Promise<void> => {
    if (!expression) return;
    await values.add(expression);
    await vscode.commands.executeCommand(`${views.values}.focus`);
    changes.now();
  };
  const command = (name: keyof typeof rankCommands, run: (clicked: Clicked) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(rankCommands[name], (clicked: Clicked) => tellingErrors(() => run(clicked)));
  return vscode.Disposable.from(
    command('addValue', async () =>
      add(
        await vscode.window.showInputBox({
          title: l10n.t('MPI: Value over ranks'),
          placeHolder: l10n.t('an expression'),
        }),
      ),
    ),
    command('showOverRanks', (clicked) => add(expressionOf(clicked))),
    command('removeValue', async (clicked) => {
      if (clicked !== undefined && 'label' in clicked) await values.remove(clicked.label);
      changes.now();
    }),
  );
}

function expressionOf(clicked: Clicked): string | undefined {
  if (clicked === undefined || clicked instanceof vscode.Uri) return expressionInEditor();
  if ('label' in clicked) return clicked.label;
  return clicked.variable?.evaluateName ?? clicked.variable?.name;
}

/** What is selected, else the name at the cursor. */
function expressionInEditor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  if (!selection.isEmpty) return document.getText(selection).trim();
  const { line, character } = selection.active;
  const isFortran = fortranLanguageIds.includes(document.languageId);
  const found = isFortran ? expressionAt(document.lineAt(line).text, character) : undefined;
  const range =
    found === undefined
      ? document.getWordRangeAtPosition(selection.active)
      : new vscode.Range(line, found.start, line, found.end);
  return range && document.getText(range);
}
