/**
 * Somebody at the socket of a session that has a client, or had one: may take the session up or end it, and says so with
 * `keptSession`. Whatever else it sends, the session goes on with its client.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { capabilitiesOf } from './capabilities';
import type { Handler } from './client/connection';
import { notStarted, type RequestError } from './client/errors';
import { initializeArguments } from './requests/dap-arguments';
import { checked } from './requests/dispatcher';
import { isReturn } from './start/session-arguments';

type ClientArguments = ReturnType<typeof initializeArguments>;

export interface Handlers {
  /** The handler of a command. Throws RequestError where there is none. */
  handler(command: string): Handler;
}

/** What a newcomer can do with the session. */
export interface Takeable {
  /** It is the client from now on, and its requests go to these handlers. Undefined: the session cannot be taken up. */
  takeUp(client: ClientArguments): Handlers | undefined;
  end(): Promise<void>;
  /** Why it gets no other job. */
  refusal(): RequestError;
}

export class Newcomer implements Handlers {
  private client: ClientArguments | undefined;

  constructor(
    private readonly table: Parameters<typeof capabilitiesOf>[0],
    private readonly session: Takeable,
  ) {}

  handler(command: string): Handler {
    switch (command) {
      case 'initialize':
        return (args) => this.initialize(args);
      case 'launch':
      case 'attach':
        return (args) => this.takeUp(command, args);
      case 'disconnect':
        return (args) => (isReturn(args) ? this.session.end() : undefined);
      default:
        throw notStarted(command);
    }
  }

  private initialize(args: unknown): DebugProtocol.Capabilities {
    this.client = checked('initialize', initializeArguments, args);
    return capabilitiesOf(this.table);
  }

  private takeUp(command: string, args: unknown): unknown {
    const handlers = this.client !== undefined && isReturn(args) ? this.session.takeUp(this.client) : undefined;
    if (handlers === undefined) throw this.session.refusal();
    return handlers.handler(command)(args);
  }
}
