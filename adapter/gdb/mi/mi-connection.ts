/**
 * One MI dialogue over a byte stream: commands in, answers matched by token, everything else as events.
 *
 * gdb's output is delivered in order, even if it arrives at once: whoever waits for an answer continues before an event
 * after the answer is delivered.
 */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { isEvaluation, type EvaluationLimit } from './evaluation-limit';
import { failureOf, interrupted, inWords, tookTooLong, type GdbFailure } from './failure';
import { parseRecord, type AsyncRecord, type MiRecord, type ResultRecord, type StreamRecord } from './mi-parser';
import { optionalText, quote, type MiTuple } from './mi-values';

/** gdb answered ^error, or can no longer answer. `stack` is that of the caller who sent the command. */
export class GdbError extends Error {
  constructor(
    message: string,
    /** As sent, without token. */
    readonly command: string,
  ) {
    super(inWords(message));
    this.name = 'GdbError';
  }

  /** The reason behind gdb's message. */
  get failure(): GdbFailure {
    return failureOf(this.message);
  }
}

/** The dialogue is over: gdb ended, or the connection to it broke. `how` follows "gdb": "was killed by SIGKILL". */
export class GdbLostError extends GdbError {
  constructor(command: string, how: string) {
    super(`gdb ${how}`, command);
    this.name = 'GdbLostError';
  }

  override get failure(): GdbFailure {
    return { reason: 'lost' };
  }
}

interface MiConnectionEvents {
  async: [AsyncRecord];
  stream: [StreamRecord];
  /** An ^error behind the ^running of the same command: all that gdb said since. */
  retracted: [words: readonly string[]];
  /** A line that is not MI. */
  noise: [string];
  /** Every line, as sent ('>') or received ('<'): for the log. */
  line: ['>' | '<', string];
  /** Once. Every pending command has been rejected by then. `how` follows "gdb". */
  closed: [how: string];
}

interface Pending {
  command: string;
  /** Made when the command was sent, so that its stack names the caller. */
  error: GdbError;
  printed: string[];
  /** Its time was up, in milliseconds, and gdb was interrupted. */
  tooLong?: number;
  /** An interrupt that came too late for another command has ended this one. */
  sendAgain?: (() => void) | undefined;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

interface Answer {
  results: MiTuple;
  /** What the command wrote to gdb's console. */
  printed: string;
}

export class MiConnection extends EventEmitter<MiConnectionEvents> {
  private readonly pending = new Map<number, Pending>();
  private readonly partial: Buffer[] = [];
  private nextToken = 1;
  /** The last command, if it was answered with ^running, and what gdb has logged since. */
  private started: { token: number; words: string[] } | undefined;
  /** Whoever waits for the last answer may not have continued yet. */
  private hasJustAnswered = false;
  /** The first of them is behind that answer. */
  private readonly later: MiRecord[] = [];
  private closedBecause: string | undefined;
  private isEnding = false;
  /** The command that gdb is working on. */
  private current: Pending | undefined;

  /** `howEnded`: asked when the stream has ended, before anybody is told.  */
  constructor(
    private readonly stream: Duplex,
    private readonly howEnded: () => Promise<string> = async () => 'closed the connection',
    private readonly limit?: EvaluationLimit,
  ) {
    super();
    stream.on('data', (chunk: Buffer) => this.receive(chunk));
    for (const end of ['error', 'end', 'close']) stream.on(end, () => void this.ended());
    // Whoever read a greeting from it may have paused it.
    stream.resume();
  }

  get isClosed(): boolean {
    return this.closedBecause !== undefined;
  }

  /** Sends one command; gdb answers commands in the order they were sent. Rejects with GdbError. `settings`: see MiCommands. */
  async command(text: string, settings: readonly string[] = []): Promise<MiTuple> {
    const ended = this.limit?.endedAfter(text);
    if (ended !== undefined) throw new GdbError(tookTooLong(ended), text);
    const answer = settings.length === 0 ? this.send(text) : this.sendWith(settings, text);
    return (await answer).results;
  }

  /** Sends a command and answers what it prints. Rejects as `command` does. Events printed meanwhile (`[New Thread …]`) are in it. */
  async commandOutput(text: string): Promise<string> {
    return (await this.send(text)).printed;
  }

  /** Sends one command to a gdb whose answers are switched off. */
  tell(text: string): void {
    if (this.closedBecause === undefined) this.sendLine(text);
  }

  /** Ends the dialogue from this side: gdb sees the end of its input. */
  end(): void {
    this.stream.end();
    this.close('has ended with the session');
  }

  private async ended(): Promise<void> {
    if (this.isEnding || this.closedBecause !== undefined) return;
    this.isEnding = true;
    this.close(await this.howEnded());
  }

  private send(text: string): Promise<Answer> {
    if (this.closedBecause !== undefined) return Promise.reject(new GdbLostError(text, this.closedBecause));
    const { token, answer } = this.expect(text, () => this.sendLine(`${token}${text}`));
    this.sendLine(`${token}${text}`);
    this.followCurrent();
    return answer;
  }

  /** gdb's `with` runs the command, which has a token and an answer of its own: the outer one tells what `with` refuses. */
  private async sendWith(settings: readonly string[], text: string): Promise<Answer> {
    if (this.closedBecause !== undefined) throw new GdbLostError(text, this.closedBecause);
    const { token, answer } = this.expect(text, () => sendWithin());
    const within = settings.map((setting) => `with ${setting} -- `).join('');
    const sendWithin = (): void => {
      const outer = this.send(
        `-interpreter-exec console ${quote(`${within}interpreter-exec mi3 ${quote(token + text)}`)}`,
      );
      outer.catch((error: Error) => this.fail(token, error.message));
    };
    sendWithin();
    return answer;
  }

  /** Registers a command that is about to be sent. */
  private expect(command: string, sendAgain: () => void): { token: number; answer: Promise<Answer> } {
    const error = new GdbError('', command);
    const token = this.nextToken++;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.pending.set(token, { command, error, printed: [], sendAgain, resolve, reject });
    });
    return { token, answer };
  }

  private sendLine(line: string): void {
    this.emit('line', '>', line);
    this.stream.write(`${line}\n`);
  }

  private receive(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.partial.push(chunk.subarray(start, end));
      const line = this.partial.length === 1 ? this.partial[0] : Buffer.concat(this.partial);
      this.partial.length = 0;
      start = end + 1;
      this.receiveLine(line?.toString('utf8').replace(/\r$/, '') ?? '');
    }
    if (start < chunk.length) this.partial.push(chunk.subarray(start));
  }

  private receiveLine(line: string): void {
    if (line === '' || line === '(gdb) ' || line === '(gdb)') return;
    this.emit('line', '<', line);
    const record = parseRecord(line);
    if (record === undefined) this.emit('noise', line);
    else if (this.later.length > 0 || (this.hasJustAnswered && isAsync(record))) this.later.push(record);
    else this.take(record);
  }

  private takeLater(): void {
    this.hasJustAnswered = false;
    for (let next = this.later[0]; next !== undefined; next = this.later[0]) {
      if (this.hasJustAnswered && isAsync(next)) return;
      this.later.shift();
      this.take(next);
    }
  }

  private take(record: MiRecord): void {
    switch (record.kind) {
      case 'result':
        this.answer(record);
        break;
      case 'exec':
        if (record.class === 'running') this.limit?.forget();
        this.emit('async', record);
        break;
      case 'notify':
      case 'status':
        this.emit('async', record);
        break;
      case 'console':
        this.oldestPending()?.printed.push(record.text);
        this.emit('stream', record);
        break;
      case 'log':
        this.started?.words.push(record.text);
        this.emit('stream', record);
        break;
      case 'target':
        this.emit('stream', record);
        break;
    }
  }

  /** The one that gdb is working on: it answers in order. */
  private oldestPending(): Pending | undefined {
    const first = this.pending.values().next();
    return first.done === true ? undefined : first.value;
  }

  private answer(record: ResultRecord): void {
    if (record.token === undefined) return;
    const { started } = this;
    this.started = record.class === 'running' ? { token: record.token, words: [] } : undefined;
    const waiting = this.pending.get(record.token);
    if (waiting === undefined) {
      if (record.class === 'error' && record.token === started?.token)
        this.emit('retracted', [...started.words, optionalText(record.results, 'msg') ?? '']);
      return;
    }
    if (!this.hasJustAnswered) setImmediate(() => this.takeLater());
    this.hasJustAnswered = true;
    if (record.class === 'error') {
      this.fail(record.token, optionalText(record.results, 'msg') ?? 'gdb gave no reason');
    } else if (waiting.tooLong !== undefined) {
      // What it has is half of the value.
      const variable = waiting.command.startsWith('-var-create') ? optionalText(record.results, 'name') : undefined;
      if (variable !== undefined) this.tell(`-var-delete ${quote(variable)}`);
      this.fail(record.token, '');
    } else {
      this.pending.delete(record.token);
      waiting.resolve({ results: record.results, printed: waiting.printed.join('') });
    }
    this.followCurrent();
  }

  /** The time of a command begins when gdb has answered those before it. */
  private followCurrent(): void {
    const current = this.oldestPending();
    if (this.limit === undefined || current === this.current) return;
    this.current = current;
    if (current === undefined || !isEvaluation(current.command)) this.limit.end();
    else this.limit.begin(current.command, (milliseconds) => (current.tooLong = milliseconds));
  }

  /** Nothing to do where gdb has answered already. */
  private fail(token: number, why: string): void {
    const waiting = this.pending.get(token);
    if (waiting === undefined) return;
    const { tooLong, sendAgain, command } = waiting;
    if (tooLong === undefined && why === interrupted && isEvaluation(command) && sendAgain !== undefined) {
      waiting.sendAgain = undefined;
      sendAgain();
      return;
    }
    this.pending.delete(token);
    waiting.error.message = tooLong === undefined ? inWords(why) : tookTooLong(tooLong);
    waiting.reject(waiting.error);
  }

  private close(how: string): void {
    if (this.closedBecause !== undefined) return;
    if (this.later.length > 0) {
      setImmediate(() => this.close(how));
      return;
    }
    this.closedBecause = how;
    this.limit?.end();
    for (const waiting of this.pending.values()) waiting.reject(new GdbLostError(waiting.command, how));
    this.pending.clear();
    this.stream.destroy();
    this.emit('closed', how);
  }
}

function isAsync({ kind }: MiRecord): boolean {
  return kind === 'exec' || kind === 'notify' || kind === 'status';
}
