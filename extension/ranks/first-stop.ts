/**
 * Opens Locals at the first stop in a new window. VS Code opens them whenever it shows another frame, but not when its
 * Variables view is made only after the frame was shown, as happens once in each window: that view then asks for the
 * frame's scopes and not for their variables. Showing the frame once more opens them. Until VS Code has got all answers it
 * would be too early: VS Code cancels what it is still asking about the thread, and shows that in place of the frames.
 */
import * as vscode from 'vscode';
import { debugType } from '../manifest/manifest';
import { JobClient } from './job-client';

type Asked = 'scopes' | 'variables';

/** Frames and references that this extension itself is asking for: they say nothing of the Variables view. */
const own: Record<Asked, number[]> = { scopes: [], variables: [] };
let isWatching = true;

/** Before a request of the extension's own for the scopes of this frame, or the variables of this reference. */
export function asksItself(command: Asked, id: number): void {
  if (isWatching) own[command].push(id);
}

/** Milliseconds; an open scope is read as soon as VS Code knows it. */
const quietTime = 300;

interface Message {
  type?: string;
  command?: string;
  seq?: number;
  request_seq?: number;
  arguments?: { frameId?: number; variablesReference?: number };
}

export function openLocalsAtFirstStop(): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const done = (): void => {
    isWatching = false;
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
  /** The frame that the Variables view has asked about, and not more. */
  let shown: number | undefined;
  const unanswered = new Set<number | undefined>();
  const whenQuiet = (): void => {
    clearTimeout(timer);
    if (!isWatching || shown === undefined || unanswered.size > 0) return;
    const frameId = shown;
    timer = setTimeout(() => void showAgain(frameId), quietTime);
  };
  const registration = vscode.debug.registerDebugAdapterTrackerFactory(debugType, {
    createDebugAdapterTracker: () => ({
      onWillReceiveMessage: ({ command, seq, arguments: { frameId = 0, variablesReference = 0 } = {} }: Message) => {
        if (command === 'variables' && !isOwn(command, variablesReference)) done();
        if (command === 'scopes' && !isOwn(command, frameId)) shown = frameId;
        unanswered.add(seq);
        clearTimeout(timer);
      },
      onDidSendMessage: ({ type, request_seq: request }: Message) => {
        if (type === 'response' && unanswered.delete(request)) whenQuiet();
      },
    }),
  });
  return { dispose: done };
}

function isOwn(command: Asked, id: number): boolean {
  const index = own[command].indexOf(id);
  if (index >= 0) own[command].splice(index, 1);
  return index >= 0;
}
