/** Tells when what the views show may have changed: once for each burst of events. */
import * as vscode from 'vscode';
import { onAdapterMessage } from './adapter-messages';

/** Milliseconds. */
const quietTime = 100;
const tellingEvents = new Set(['stopped', 'continued', 'thread', 'mpidbg/focusChanged']);

export class JobChanges implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<void>();
  private readonly ending = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChange = this.emitter.event;
  /** A session ends, and its views are still there. */
  readonly onWillEnd = this.ending.event;

  constructor() {
    const soon = (): void => this.soon();
    this.disposables = [
      this.emitter,
      this.ending,
      vscode.debug.onDidChangeActiveDebugSession(soon),
      vscode.debug.onDidTerminateDebugSession(soon),
      onAdapterMessage((message) => {
        // The answer to continue says that ranks run: no event follows. Steps end in a moment, with an event.
        if (message.type === 'event' && message.event === 'terminated') this.ending.fire();
        if (message.type === 'event' ? tellingEvents.has(message.event) : message.command === 'continue') soon();
      }),
    ];
  }

  now(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.emitter.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const disposable of this.disposables) disposable.dispose();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => this.now(), quietTime);
  }
}
