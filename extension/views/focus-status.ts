/** The focus in the status bar; a click changes it. */
import * as vscode from 'vscode';
import { rankCommands } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';

export function showFocusInStatusBar(changes: JobChanges): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('mpidbg.focus', vscode.StatusBarAlignment.Left, 10);
  item.name = 'MPI focus';
  item.command = rankCommands.setFocus;
  const update = async (): Promise<void> => {
    const job = JobClient.active();
    const focus = await job?.focus().catch(() => undefined);
    if (focus === undefined) {
      item.hide();
      return;
    }
    const scope = focus.scope === 'focus' ? '' : ` (commands: ${focus.scope})`;
    item.text = `$(target) ${focus.all ? 'all ranks' : `${/^\d+$/.test(focus.ranks) ? 'rank' : 'ranks'} ${focus.ranks}`}${scope}`;
    item.tooltip = vscode.l10n.t('The ranks that continue, step and pause act on, and that the debug console asks');
    item.show();
  };
  const listening = changes.onDidChange(() => void update());
  return vscode.Disposable.from(item, listening);
}
