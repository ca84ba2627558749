/**
 * VS Code goes to the line of a stop as soon as it has the thread's stack. If another rank stops before that, and all are
 * stopped then, it forgets the stack and shows no line at all: the first stop must be told again.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';

type Stop = DebugProtocol.StoppedEvent['body'];

const moves: ReadonlySet<string> = new Set(['continue', 'next', 'stepIn', 'stepOut', 'goto']);

export class LostFocus {
  /** VS Code was told to go there, and nothing says that it has. */
  private awaited: Stop | undefined;

  /** When an event was sent. Answers a stop that is to be told again. */
  sent(event: string, body: unknown): Stop | undefined {
    if (event === 'continued' || (event === 'thread' && isEnd(body, this.awaited))) this.awaited = undefined;
    if (event !== 'stopped') return undefined;
    const stop = body as Stop;
    if (stop.preserveFocusHint === true) return stop.allThreadsStopped === true ? this.awaited : undefined;
    this.awaited = stop;
    return undefined;
  }

  /** When a request has come: VS Code asks for the variables of the frame that it shows. */
  received(command: string): void {
    if (command === 'scopes' || moves.has(command)) this.awaited = undefined;
  }
}

function isEnd(body: unknown, stop: Stop | undefined): boolean {
  const { reason, threadId } = body as DebugProtocol.ThreadEvent['body'];
  return reason === 'exited' && threadId === stop?.threadId;
}
