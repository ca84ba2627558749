/** One client: takes its requests, answers each of them exactly once, and sends it events. */
import type { Readable, Writable } from 'node:stream';
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { visibleLines } from '../../plugin-api/visible-text';
import { cancelled, internalError, requestErrorOf } from './errors';
import type { FocusBody } from './focus';
import { logDefect, logFile } from './log';
import { visibleBody } from './visible-body';

/** The events that we send, by name. */
export interface EventBodies {
  initialized: undefined;
  capabilities: DebugProtocol.CapabilitiesEvent['body'];
  stopped: DebugProtocol.StoppedEvent['body'];
  continued: DebugProtocol.ContinuedEvent['body'];
  thread: DebugProtocol.ThreadEvent['body'];
  output: DebugProtocol.OutputEvent['body'];
  breakpoint: DebugProtocol.BreakpointEvent['body'];
  exited: DebugProtocol.ExitedEvent['body'];
  progressStart: DebugProtocol.ProgressStartEvent['body'];
  progressUpdate: DebugProtocol.ProgressUpdateEvent['body'];
  progressEnd: DebugProtocol.ProgressEndEvent['body'];
  terminated: undefined;
  invalidated: DebugProtocol.InvalidatedEvent['body'];
  /** Ours. */
  'mpidbg/focusChanged': FocusBody;
}

/** What the topics need of a client. */
export interface Client {
  send<Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void;
  /** A line of mpidbg's own in the debug console. */
  say(line: string): void;
  /** Something of ours failed that no request waits for: it is logged, and the user is told where. */
  defect(during: string, error: unknown): void;
}

/** Answers a request with the body of its response. */
export type Handler = (args: unknown) => unknown;

export class DapConnection extends DebugSession implements Client {
  /** The client can be told that what it shows is out of date. */
  private knowsInvalidated = false;
  /** The requests that have no answer yet; calling one cancels it. */
  private readonly unanswered = new Map<number, () => void>();

  constructor(
    /** The handler of a command; undefined: there is no such request. Throws RequestError. */
    private readonly handlerOf: (command: string) => Handler,
    private readonly disconnected: () => void,
  ) {
    super();
  }

  override start(input: Readable, output: Writable): void {
    super.start(input, output);
    // The end of the input is the client's goodbye, also where the stream is never closed.
    input.once('end', () => this.disconnected());
  }

  /** What the client told of itself with initialize. */
  know({ supportsInvalidatedEvent }: DebugProtocol.InitializeRequestArguments): void {
    this.knowsInvalidated = supportsInvalidatedEvent === true;
  }

  send<Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void {
    if (name === 'invalidated' && !this.knowsInvalidated) return;
    this.sendEvent(new Event(name, visibleBody(name, body)));
  }

  say(line: string): void {
    this.send('output', { category: 'console', output: `${line}\n` });
  }

  defect(during: string, error: unknown): void {
    logDefect(during, error);
    this.say(internalError(error, logFile).message);
  }

  /** The base class would end the process. */
  override shutdown(): void {
    this.disconnected();
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    void this.answer(request);
  }

  private async answer(request: DebugProtocol.Request): Promise<void> {
    const response: DebugProtocol.Response = new Response(request);
    try {
      response.body = visibleBody(request.command, await this.cancellable(request));
    } catch (error) {
      const failure = this.failure(request.command, error);
      response.success = false;
      const message = visibleLines(failure.message);
      response.message = message;
      // The debug console and the Watch view show an error where its expression is.
      const showUser = failure.blame !== 'nobody' && request.command !== 'evaluate';
      response.body = { error: { id: failure.id, format: message, showUser } };
    }
    this.sendResponse(response);
    // A client may wait for our end with its side of the stream still open.
    if (request.command === 'disconnect') this.disconnected();
  }

  /** Answers a request that is still being worked on with an error; what it does is done, and seen by nobody. */
  cancel(requestId: number): void {
    this.unanswered.get(requestId)?.();
  }

  private cancellable({ seq, command, arguments: args }: DebugProtocol.Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.unanswered.set(seq, () => reject(cancelled()));
      Promise.resolve()
        .then(() => this.handlerOf(command)(args ?? {}))
        .then(resolve, reject)
        .finally(() => this.unanswered.delete(seq));
    });
  }

  private failure(command: string, error: unknown): ReturnType<typeof internalError> {
    const known = requestErrorOf(error);
    if (known !== undefined) return known;
    logDefect(`request ${command}`, error);
    return internalError(error, logFile);
  }
}
