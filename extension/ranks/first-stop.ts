/**
 * Opens Locals at the first stop in a new window. VS Code opens them whenever it shows another frame, but not when its
 * Variables view is made only after the frame was shown, as happens once in each window: that view then asks for the
 * frame's scopes and not for their variables. Showing the frame once more opens them.
 */
import * as vscode from 'vscode';
import { debugType } from '../manifest/manifest';
import { JobClient } from './job-client';

/** Milliseconds; an open scope is read as soon as VS Code knows it. */
const quietTime = 300;

export function openLocalsAtFirstStop(): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const done = (): void => {
    clearTimeout(timer);
    registration.dispose();
  };
  const showAgain = async (frameId: number): Promise<void> => {
    done();
    const item = vscode.debug.activeStackItem;
    // The user may have chosen another frame meanwhile.
    if (!(item instanceof vscode.DebugStackFrame) || item.session.type !== debugType) return;
    if (item.frameId === frameId) await new JobClient(item.session).select({ threadId: item.threadId });
  };
  let frameId = 0;
  const registration = vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
    createDebugAdapterTracker: () => ({
      onWillReceiveMessage: ({ command, arguments: args }: { command?: string; arguments?: { frameId?: number } }) => {
        if (command === 'variables') done();
        if (command === 'scopes') frameId = args?.frameId ?? 0;
      },
      onDidSendMessage: ({ type, command }: { type?: string; command?: string }) => {
        if (type !== 'response' || command !== 'scopes') return;
        clearTimeout(timer);
        timer = setTimeout(() => void showAgain(frameId), quietTime);
      },
    }),
  });
  return { dispose: done };
}
