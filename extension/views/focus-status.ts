/** The focus in the status bar; a click changes it. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { rankCommands } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { wordsOfRanks } from '../ranks/rank-text';

export function showFocusInStatusBar(changes: JobChanges): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('mpidbg.focus', vscode.StatusBarAlignment.Left, 10);
  item.name = l10n.t('MPI focus');
  item.command = rankCommands.setFocus;
  const update = async (): Promise<void> => {
    const job = JobClient.active();
    const focus = await job?.focus().catch(() => undefined);
    if (focus === undefined) {
      item.hide();
      return;
    }
    const ranks = focus.all ? l10n.t('all ranks') : wordsOfRanks(focus.ranks);
    item.text = `$(target) ${focus.scope === 'focus' ? l10n.t('focus: {0}', ranks) : l10n.t('focus: {0} (commands: {1})', ranks, focus.scope)}`;
    item.tooltip = l10n.t('The ranks that continue, step and pause act on, and that the debug console asks');
    item.show();
  };
  const listening = changes.onDidChange(() => void update());
  return vscode.Disposable.from(item, listening);
}
