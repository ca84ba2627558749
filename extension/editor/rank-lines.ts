/** In the editor, at each line where ranks are: how many of the job, in the gutter and in the overview ruler too. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { groupedBy } from '../../plugin-api/grouped-by';
import { namesOfRanks } from '../../plugin-api/mpi/rank-names';
import { rankCommands } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient, type RankRow } from '../ranks/job-client';

interface RankLine {
  file: string;
  /** From 1. */
  line: number;
  ranks: string;
  /** "510 of 512 ranks: 0-509" */
  text: string;
}

/** How much of a rank set is shown behind a line; all of it is in the hover. */
const maxShown = 30;

export function showRanksInEditors(changes: JobChanges): vscode.Disposable {
  const decoration = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3em', fontStyle: 'italic' },
    overviewRulerColor: new vscode.ThemeColor('debugIcon.pauseForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    dark: { gutterIconPath: icon('#75beff') },
    light: { gutterIconPath: icon('#007acc') },
    gutterIconSize: 'contain',
  });
  let lines: readonly RankLine[] = [];
  const decorate = (editor: vscode.TextEditor): void =>
    editor.setDecorations(decoration, optionsFor(editor.document, lines));
  const update = async (): Promise<void> => {
    // While a job starts or ends it cannot be asked.
    const ranks =
      (await JobClient.active()
        ?.ranksWithPlaces()
        .catch(() => undefined)) ?? [];
    lines = linesOf(ranks);
    vscode.window.visibleTextEditors.forEach(decorate);
  };
  return vscode.Disposable.from(
    decoration,
    changes.onDidChange(() => void update()),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(decorate)),
  );
}

/** Where the ranks of a job of several are; of a running rank that is unknown. */
function linesOf(all: readonly RankRow[]): RankLine[] {
  if (all.length < 2) return [];
  const placed = all.filter(({ rank, source, state }) => rank !== null && source !== undefined && state !== 'exited');
  const groups = groupedBy(placed, ({ source }) => `${source!.file}:${source!.line}`);
  return [...groups.values()].map((group) => {
    const { file, line } = group[0]!.source!;
    const ranks = namesOfRanks(group).set.join();
    const shown = ranks.length > maxShown ? `${ranks.slice(0, maxShown)}…` : ranks;
    return { file, line, ranks, text: l10n.t('{0} of {1} ranks: {2}', group.length, all.length, shown) };
  });
}

function optionsFor({ uri, lineCount }: vscode.TextDocument, lines: readonly RankLine[]): vscode.DecorationOptions[] {
  return lines
    .filter(({ file, line }) => file === uri.fsPath && line <= lineCount)
    .map(({ line, ranks, text }) => ({
      range: new vscode.Range(line - 1, 0, line - 1, 0),
      hoverMessage: hover(ranks),
      renderOptions: { after: { contentText: text } },
    }));
}

function hover(ranks: string): vscode.MarkdownString {
  const link = (command: string, target: object): string =>
    `command:${command}?${encodeURIComponent(JSON.stringify([target]))}`;
  const text = new vscode.MarkdownString(
    l10n.t(
      'Ranks {0} are here: [show one]({1}) · [focus on them]({2})',
      ranks,
      link(rankCommands.showRow, { ranks }),
      link(rankCommands.focusRanks, { ranks }),
    ),
  );
  text.isTrusted = { enabledCommands: [rankCommands.showRow, rankCommands.focusRanks] };
  return text;
}

/** Two dots, for several ranks: beside VS Code's own sign of the selected thread. */
function icon(color: string): vscode.Uri {
  const dots = [5, 11].map((x) => `<circle cx="${x}" cy="8" r="2.4" fill="${color}"/>`).join('');
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16">${dots}</svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(picture)}`);
}
