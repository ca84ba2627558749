/** Waiting for what VS Code does next. */
import type * as vscode from 'vscode';

/** Milliseconds; VS Code reads a stack before it shows a frame. */
const maxWait = 1000;

/** Resolves at the next such event, or after a second. */
export function nextEvent<T>(event: vscode.Event<T>, isAwaited: (value: T) => boolean = () => true): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(done, maxWait);
    const listening = event((value) => {
      if (isAwaited(value)) done();
    });
  });
}
