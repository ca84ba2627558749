/** A DAP client of few words, for tests, the demo and the benchmark: it drives an adapter as an editor would. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { patienceMs } from './patience';

/** An error response; `body` as the adapter sent it. */
export class DapError extends Error {
  constructor(
    readonly command: string,
    message: string,
    readonly body: unknown,
  ) {
    super(`${command}: ${message}`);
    this.name = 'DapError';
  }
}

interface Waiter {
  matches: (event: DebugProtocol.Event) => boolean;
  resolve: (event: DebugProtocol.Event) => void;
}

/** `isForeign`: not mpidbg's. */
interface ClientOptions {
  isForeign?: boolean;
}

export class DapClient {
  /** Hear every message of every adapter of ours. */
  static readonly listeners = new Set<(message: DebugProtocol.ProtocolMessage) => void>();
  /** Every event so far, in order. */
  readonly events: DebugProtocol.Event[] = [];
  private readonly pending = new Map<number, (response: DebugProtocol.Response) => void>();
  private readonly waiters = new Set<Waiter>();
  private buffer = Buffer.alloc(0);
  private sequence = 0;

  constructor(
    input: Readable,
    private readonly output: Writable,
    private readonly options: ClientOptions = {},
  ) {
    input.on('data', (chunk: Buffer) => this.receive(chunk));
  }

  /** Starts `node ADAPTER`, `through` a command in front of it. Its end does not end the caller; `process` tells it. */
  static spawn(
    adapter: string,
    {
      isForeign = false,
      through = [],
      env = process.env,
    }: { env?: NodeJS.ProcessEnv; through?: readonly string[] } & ClientOptions = {},
  ): { client: DapClient; process: ChildProcess } {
    const [command = process.execPath, ...args] = [...through, process.execPath, adapter];
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
    child.stdin.on('error', () => undefined); // the adapter may end before it has read everything
    return { client: new DapClient(child.stdout, child.stdin, { isForeign }), process: child };
  }

  /** The number of the request that was sent last. */
  get lastRequest(): number {
    return this.sequence;
  }

  /** The body of the answer. Throws DapError when the adapter refuses. */
  async request<Body = unknown>(command: string, args: object = {}): Promise<Body> {
    return this.requestJson(command, JSON.stringify(args));
  }

  /** Sends a request whose arguments are text: JSON that is nested too deep cannot be written from an object. */
  async requestJson<Body = unknown>(command: string, args: string): Promise<Body> {
    const seq = ++this.sequence;
    const answered = new Promise<DebugProtocol.Response>((resolve) => this.pending.set(seq, resolve));
    const json = `{"seq":${seq},"type":"request","command":${JSON.stringify(command)},"arguments":${args}}`;
    this.output.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
    const response = await answered;
    if (response.success) return response.body as Body;
    const error = (response.body as { error?: DebugProtocol.Message } | undefined)?.error;
    throw new DapError(command, fillIn(error) ?? response.message ?? 'failed', response.body);
  }

  /**
   * The first event of this kind for which `accept` holds, among those from index `since` on (default: all) and those to
   * come. Throws after `timeoutMs`, telling what came instead.
   */
  async waitFor<E extends DebugProtocol.Event>(
    event: string,
    accept: (event: E) => boolean = () => true,
    { since = 0, timeoutMs = patienceMs } = {},
  ): Promise<E> {
    const matches = (e: DebugProtocol.Event): boolean => e.event === event && accept(e as E);
    const past = this.events.slice(since).find(matches);
    if (past !== undefined) return past as E;
    return new Promise<E>((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (e) => {
          clearTimeout(deadline);
          this.waiters.delete(waiter);
          resolve(e as E);
        },
      };
      const deadline = setTimeout(() => {
        this.waiters.delete(waiter);
        const last = this.events.slice(-8).map((e) => JSON.stringify(e).slice(0, 400));
        reject(new Error(`no ${event} event within ${timeoutMs} ms; the last events: ${last.join('\n')}`));
      }, timeoutMs);
      this.waiters.add(waiter);
    });
  }

  /** Everything that `output` events said so far, of one category or of all. */
  outputText(category?: string): string {
    return this.events
      .filter((e): e is DebugProtocol.OutputEvent => e.event === 'output')
      .filter((e) => category === undefined || e.body.category === category)
      .map((e) => e.body.output)
      .join('');
  }

  private receive(chunk: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const end = this.buffer.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(this.buffer.toString('latin1', 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || this.buffer.length < end + 4 + length) return;
      const message = JSON.parse(
        this.buffer.toString('utf8', end + 4, end + 4 + length),
      ) as DebugProtocol.ProtocolMessage;
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.dispatch(message);
    }
  }

  private dispatch(message: DebugProtocol.ProtocolMessage): void {
    if (this.options.isForeign !== true) for (const hear of DapClient.listeners) hear(message);
    if (message.type === 'response') {
      const response = message as DebugProtocol.Response;
      this.pending.get(response.request_seq)?.(response);
      this.pending.delete(response.request_seq);
    } else if (message.type === 'event') {
      const event = message as DebugProtocol.Event;
      this.events.push(event);
      for (const waiter of [...this.waiters]) if (waiter.matches(event)) waiter.resolve(event);
    }
  }
}

function fillIn(error: DebugProtocol.Message | undefined): string | undefined {
  return error?.format.replace(/\{(\w+)\}/g, (whole, name: string) => error.variables?.[name] ?? whole);
}
