/**
 * VS Code goes to the line of a stop as soon as it has the thread's stack. If another rank stops before that, and all are
 * stopped then, it forgets the stack and shows no line at all: the first stop must be told again.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';

type Stop = DebugProtocol.StoppedEvent['body'];

const moves: ReadonlySet<string> = new Set(['continue', 'next', 'stepIn', 'stepOut', 'goto']);

export class LostFocus {
  /** The stop that VS Code was told to show, until it is known to have shown its line. */
  private awaited: Stop | undefined;

  /** To be called after each event. Returns a stop that must be sent again. */
  sent(event: string, body: unknown): Stop | undefined {
    if (event === 'continued' || (event === 'thread' && isEnd(body, this.awaited))) this.awaited = undefined;
    if (event !== 'stopped') return undefined;
    const stop = body as Stop;
    if (stop.preserveFocusHint === true) return stop.allThreadsStopped === true ? this.awaited : undefined;
    this.awaited = stop;
    return undefined;
  }

  /** To be called for each request: VS Code asks for the variables of the frame that it shows. */
  received(command: string): void {
    if (command === 'scopes' || moves.has(command)) this.awaited = undefined;
  }
}

function isEnd(body: unknown, stop: Stop | undefined): boolean {
  const { reason, threadId } = body as DebugProtocol.ThreadEvent['body'];
  return reason === 'exited' && threadId === stop?.threadId;
}
