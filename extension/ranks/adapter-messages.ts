/** What the debug adapter of any session of ours tells VS Code. */
import * as vscode from 'vscode';
import { debugType } from '../manifest/manifest';

/** An event, or the answer to a command; each has its name. */
export type AdapterMessage = { type: 'event'; event: string } | { type: 'response'; command: string };

export function onAdapterMessage(listen: (message: AdapterMessage) => void): vscode.Disposable {
  return vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
    createDebugAdapterTracker: () => ({
      onDidSendMessage: (message: AdapterMessage | { type: 'request' }) => {
        if (message.type !== 'request') listen(message);
      },
    }),
  });
}
