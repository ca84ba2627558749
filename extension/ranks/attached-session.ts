/**
 * Shows a session that attaches to a job, although another one is shown: VS Code stays with the first, even when the second
 * has stopped. It has no command that shows a session by its name, but one that goes on to the next session.
 */
import * as vscode from 'vscode';
import { debugType } from '../manifest/manifest';
import { nextEvent } from './next-event';

export function showAttachedSessions(): vscode.Disposable {
  let sessions = 0;
  return vscode.Disposable.from(
    vscode.debug.onDidStartDebugSession(async (session) => {
      sessions += 1;
      if (session.type !== debugType || session.configuration.request !== 'attach') return;
      for (let left = sessions; left > 0 && vscode.debug.activeDebugSession?.id !== session.id; left--) {
        const next = nextEvent(vscode.debug.onDidChangeActiveDebugSession);
        await vscode.commands.executeCommand('workbench.action.debug.nextConsole');
        await next;
      }
    }),
    vscode.debug.onDidTerminateDebugSession(() => {
      sessions -= 1;
    }),
  );
}
