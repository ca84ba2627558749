/** One client: takes its requests, answers each of them exactly once, and sends it events. */
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { inLines } from '../../../plugin-api/answers/text/wrapped';
import { visibleLines } from '../../../plugin-api/visible-text';
import { requestErrorOf } from './error-translation';
import { alreadyInitialized, cancelled, internalError, notInitialized } from './errors';
import type { FocusBody } from '../../../plugin-api/answers/focus-body';
import { logDefect, logFile } from './log';
import { LostFocus } from './lost-focus';
import { remedyFor } from './remedies';
import { maxFirstBytes, MessageReader, NotDapError } from './message-reader';
import { visibleBody } from './visible-body';

/** The events that we send, by name. */
export interface EventBodies {
  initialized: undefined;
  capabilities: DebugProtocol.CapabilitiesEvent['body'];
  /** `badge`: a word of it, where the row says which rank it is about. */
  stopped: DebugProtocol.StoppedEvent['body'] & { badge?: string };
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
  /** A step lasts while other ranks, which it may wait for, stand still: one sentence. Both are rank sets. */
  'mpidbg/stepWaits': { text: string; ranks: string; others: string };
}

/** What the topics need of a client. */
export interface Client {
  send<Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void;
  /** A line of mpidbg's own in the debug console. */
  say(line: string): void;
  /** Undefined: it has read about everything. Otherwise resolves when it has, or is gone. */
  catchingUp(): Promise<void> | undefined;
  /** An internal error that no request waits for: it is logged, and the user is told where. */
  defect(during: string, error: unknown): void;
}

/** The way to a client. */
export interface Channel {
  readonly input: Readable;
  readonly output: Writable;
  /**
   * A connection may not be a DAP client at all: until it has sent initialize, it gets no answer, whatever it sends.
   */
  readonly isOpenToStrangers: boolean;
  /** It is the client of a session, and may stay. */
  accepted(): void;
  /** It does not speak DAP, and is ignored from now on. `problem` is a sentence that quotes nothing from it. */
  refused(problem: string): void;
}

/** How a client goes: 'lost' without a word, as when the machine it runs on is switched off. */
export type Departure = 'disconnected' | 'lost';

/** A client that leaves more than this unread gets no more of what the job prints until it has caught up. */
export const comfortableBytes = 4 * 1024 * 1024;
/** A client that leaves more than this unread counts as gone: its output would fill our memory. */
export const maxUnreadBytes = 256 * 1024 * 1024;

/** Answers a request with the body of its response. */
type KnownOfClient = Pick<DebugProtocol.InitializeRequestArguments, 'supportsInvalidatedEvent'> &
  Partial<Pick<DebugProtocol.InitializeRequestArguments, 'clientID' | 'supportsProgressReporting'>>;

export type Handler = (args: unknown) => unknown;

export class DapConnection extends DebugSession implements Client {
  private channel: Channel | undefined;
  private isInitialized = false;
  /** While it has much unread: until it has read it. */
  private reading: Promise<void> | undefined;
  /** It has left too much unread. */
  private isDeaf = false;
  /** The client can be told to refresh what it shows. */
  private knowsInvalidated = false;
  /** The client shows progress. */
  private knowsProgress = false;
  private isVsCode = false;
  private readonly lostFocus = new LostFocus();
  /** The requests that have no answer yet; calling one cancels it. */
  private readonly unanswered = new Map<number, () => void>();

  constructor(
    /** The handler of a command. Throws RequestError where there is no such request. */
    private readonly handlerOf: (command: string) => Handler,
    /** May be called more than once. */
    private readonly gone: (how: Departure) => void,
  ) {
    super();
  }

  open(channel: Channel): void {
    // The base class only writes: its reader accepts any header, and reads a message again with each piece that arrives.
    super.start(new PassThrough(), channel.output);
    this.channel = channel;
    const { input } = channel;
    const reader = new MessageReader(channel.isOpenToStrangers ? maxFirstBytes : undefined);
    const read = (chunk: Buffer): void => {
      try {
        for (const message of reader.read(chunk)) {
          this.receive(message, channel);
          reader.trust();
        }
      } catch (error) {
        if (!(error instanceof NotDapError)) throw error;
        input.off('data', read);
        channel.refused(error.message);
        this.gone('lost');
      }
    };
    input.on('data', read).resume();
    // The end of the input is the client's, even if the stream is never closed.
    for (const goodbye of ['end', 'close', 'error']) input.once(goodbye, () => this.gone('lost'));
  }

  private receive(message: DebugProtocol.ProtocolMessage, channel: Channel): void {
    const isInitialize = isRequest(message) && message.command === 'initialize';
    if (!this.isInitialized && !isInitialize && channel.isOpenToStrangers)
      throw new NotDapError('the first request of a client is not initialize');
    if (isRequest(message)) void this.answer(message);
  }

  /** It is the client of a session. */
  accept(): void {
    this.channel?.accepted();
  }

  /** What the client said about itself in initialize. */
  know({ clientID, supportsInvalidatedEvent, supportsProgressReporting }: KnownOfClient): void {
    this.knowsInvalidated = supportsInvalidatedEvent === true;
    this.knowsProgress = supportsProgressReporting === true;
    this.isVsCode = clientID === 'vscode';
  }

  send<Name extends keyof EventBodies>(name: Name, body: EventBodies[Name]): void {
    const isUnknown =
      (name === 'invalidated' && !this.knowsInvalidated) || (name.startsWith('progress') && !this.knowsProgress);
    if (!this.isInitialized || isUnknown) return;
    const told = name === 'stopped' ? this.described(body as EventBodies['stopped']) : body;
    const visible = visibleBody(name, told);
    this.sendEvent(new Event(name, name === 'output' ? this.brokenAtWords(visible as EventBodies['output']) : visible));
    const again = this.isVsCode ? this.lostFocus.sent(name, visible) : undefined;
    if (again !== undefined) this.sendEvent(new Event('stopped', again));
  }

  /** VS Code's console breaks long lines within words. What a program prints stays as it is. */
  private brokenAtWords(body: EventBodies['output']): EventBodies['output'] {
    if (!this.isVsCode || body.category !== 'console' || body.source !== undefined) return body;
    return { ...body, output: inLines(body.output) };
  }

  /** VS Code shows it beside the thread's name, in a row that is soon full. */
  private described({ badge, ...body }: EventBodies['stopped']): DebugProtocol.StoppedEvent['body'] {
    return badge !== undefined && this.isVsCode ? { ...body, description: badge } : body;
  }

  say(line: string): void {
    this.send('output', consoleLine(line));
  }

  defect(during: string, error: unknown): void {
    logDefect(during, error);
    this.say(internalError(error, logFile).message);
  }

  override sendEvent(event: DebugProtocol.Event): void {
    if (this.isRead()) super.sendEvent(event);
  }

  override sendResponse(response: DebugProtocol.Response): void {
    if (this.isRead()) super.sendResponse(response);
  }

  catchingUp(): Promise<void> | undefined {
    const output = this.channel?.output;
    if (output === undefined || this.isDeaf || output.writableLength <= comfortableBytes) return undefined;
    this.reading ??= nextOf(output, ['drain', 'close']).finally(() => (this.reading = undefined));
    return this.reading;
  }

  private isRead(): boolean {
    if (this.channel === undefined || this.isDeaf || this.channel.output.destroyed) return false;
    if (this.channel.output.writableLength <= maxUnreadBytes) return true;
    // Standard output cannot be destroyed.
    this.isDeaf = true;
    this.channel.refused('the client does not read its messages');
    this.channel.output.destroy();
    this.gone('lost');
    return false;
  }

  /** The base class would end the process. */
  override shutdown(): void {
    this.gone('lost');
  }

  private async answer(request: DebugProtocol.Request): Promise<void> {
    const response: DebugProtocol.Response = new Response(request);
    this.lostFocus.received(request.command);
    try {
      response.body = visibleBody(request.command, await this.cancellable(request));
    } catch (error) {
      const failure = this.failure(request.command, error);
      response.success = false;
      const message = visibleLines(failure.message);
      response.message = message;
      // The debug console and the Watch view show an error where its expression is.
      const showUser = failure.blame !== 'nobody' && request.command !== 'evaluate';
      response.body = { error: { id: failure.id, format: message, showUser, ...this.offered(error) } };
    }
    this.sendResponse(response);
    // A client may keep its side of the stream open while it waits for us to end.
    if (request.command === 'disconnect') this.gone('disconnected');
  }

  /** Answers a pending request with an error; its work goes on, but nobody sees the result. */
  cancel(requestId: number): void {
    this.unanswered.get(requestId)?.();
  }

  /** The handler of a command at this moment of the session. */
  private handlerNow(command: string): Handler {
    if (command === 'initialize') {
      if (this.isInitialized) throw alreadyInitialized();
      this.isInitialized = true;
    } else if (!this.isInitialized) throw notInitialized(command);
    return this.handlerOf(command);
  }

  private cancellable({ seq, command, arguments: args }: DebugProtocol.Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.unanswered.set(seq, () => reject(cancelled()));
      // Begins at once: what follows in the same chunk comes after initialize.
      const begin = async (): Promise<unknown> => this.handlerNow(command)(args ?? {});
      void begin()
        .then(resolve, reject)
        .finally(() => this.unanswered.delete(seq));
    });
  }

  /** A button that runs a command, as VS Code takes it. */
  private offered(error: unknown): Pick<DebugProtocol.Message, 'url' | 'urlLabel'> {
    const remedy = this.isVsCode ? remedyFor(error) : undefined;
    return remedy === undefined ? {} : { url: `command:${remedy.command}`, urlLabel: remedy.label };
  }

  private failure(command: string, error: unknown): ReturnType<typeof internalError> {
    const known = requestErrorOf(error);
    if (known !== undefined) return known;
    logDefect(`request ${command}`, error);
    return internalError(error, logFile);
  }
}

/** A line of mpidbg's own. */
export function consoleLine(line: string): DebugProtocol.OutputEvent['body'] {
  return { category: 'console', output: `${line}\n` };
}

function isRequest(message: DebugProtocol.ProtocolMessage): message is DebugProtocol.Request {
  return message.type === 'request';
}

/** Resolves with the first of these events, or with an error. */
async function nextOf(stream: Writable, names: readonly string[]): Promise<void> {
  const happened = new AbortController();
  const { signal } = happened;
  // A client may take as long as it likes to read.
  // eslint-disable-next-line no-restricted-syntax
  await Promise.race(names.map((name) => once(stream, name, { signal }))).catch(() => undefined);
  happened.abort();
}
