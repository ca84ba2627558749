/**
 * The one connection with the agent of another host (node-agent.pl). Two things go over it, in frames (signed-messages.ts):
 * connections that processes there have made to their agent, byte by byte, each of which is a channel; and questions to the
 * agent itself. The first byte of a frame tells what it is, four more which channel or question:
 *
 *   agent → us   o CHANNEL          somebody there has connected
 *   agent → us   v CHANNEL          the same where we let visitors connect (question "listen")
 *   both ways    d CHANNEL BYTES    what was said
 *   both ways    e CHANNEL          no more will be said
 *   both ways    c CHANNEL          the connection is closed
 *   us → agent   q NUMBER MESSAGE   a question (messages.ts)
 *   agent → us   m NUMBER BYTES     a part of what belongs to its answer, where that is long
 *   agent → us   a NUMBER MESSAGE   its answer, of kind "yes" or "no"; behind the line, the rest of the bytes
 *                                   (packed with zlib, says the message)
 *   us → agent   l                  we give this connection up: let go of the ranks, they run on (signed-messages.ts)
 *
 * The agent's first frame is a message, "node", that says which host it is.
 */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { inflateSync } from 'node:zlib';
import { QueryError } from '../../plugin-api/result';
import { SignedMessages } from './signed-messages';
import { formatMessage, parseMessage, type Message } from './messages';
import type { SessionKeys } from './proof';

/** The host does not answer any more. */
export class HostLostError extends QueryError {
  constructor(
    readonly host: string,
    why: string,
  ) {
    super('MPIDBG_ERR_UNAVAILABLE', `the host ${host} is out of reach (${why})`);
  }
}

export interface LinkAnswer extends Message {
  bytes: Buffer;
}

interface Asked {
  parts: Buffer[];
  answer: (answer: LinkAnswer) => void;
  lost: (error: Error) => void;
}

interface LinkEvents {
  /** Once, first. */
  node: [Message];
  channel: [Channel];
  visitor: [Channel];
  closed: [why: string];
}

export class Link extends EventEmitter<LinkEvents> {
  private readonly frames: SignedMessages;
  private readonly channels = new Map<number, Channel>();
  private readonly asked = new Map<number, Asked>();
  private hasSaidWho = false;
  private lastQuestion = 0;
  private hostName = '';
  private closedBecause: string | undefined;

  constructor(socket: Socket, keys: SessionKeys) {
    super();
    this.frames = new SignedMessages(socket, keys, {
      content: (content) => this.take(content),
      closed: (why) => this.hasClosed(why),
    });
  }

  /** As its kernel calls it. */
  get host(): string {
    return this.hostName;
  }

  get isClosed(): boolean {
    return this.closedBecause !== undefined;
  }

  /** Rejects with HostLostError. `no` is an answer too. */
  ask(kind: string, fields?: Readonly<Record<string, string | number>>): Promise<LinkAnswer> {
    if (this.closedBecause !== undefined) return Promise.reject(new HostLostError(this.hostName, this.closedBecause));
    const number = ++this.lastQuestion;
    return new Promise((answer, lost) => {
      this.asked.set(number, { parts: [], answer, lost });
      this.send('q', number, Buffer.from(formatMessage(kind, fields)));
    });
  }

  private send(what: string, number: number, content: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(5, what);
    head.writeUInt32BE(number, 1);
    this.frames.send(head, content);
  }

  close(): void {
    this.frames.close('the debugger ended it');
  }

  private take(content: Buffer): void {
    if (!this.hasSaidWho) {
      const message = parseMessage(content.toString());
      if (message?.kind !== 'node') return this.frames.close('its first message is invalid');
      this.hasSaidWho = true;
      this.hostName = message.fields.host ?? '';
      this.emit('node', message);
      return;
    }
    if (content.length < 5) return this.frames.close('it sent an invalid message');
    const number = content.readUInt32BE(1);
    const rest = content.subarray(5);
    const channel = this.channels.get(number);
    switch (String.fromCharCode(content[0]!)) {
      case 'o':
        this.emit('channel', this.open(number));
        break;
      case 'v':
        this.emit('visitor', this.open(number));
        break;
      case 'd':
        channel?.push(rest);
        break;
      case 'e':
        channel?.push(null);
        break;
      case 'c':
        this.channels.delete(number);
        channel?.wasClosed();
        break;
      case 'm':
        this.asked.get(number)?.parts.push(rest);
        break;
      case 'a':
        this.answered(number, rest);
        break;
    }
  }

  private open(number: number): Channel {
    const channel = new Channel((what, bytes) => {
      if (what === 'c') this.channels.delete(number);
      // Frames have a longest length.
      for (let at = 0; at < bytes.length || at === 0; at += 1 << 20)
        this.send(what, number, bytes.subarray(at, at + (1 << 20)));
    });
    this.channels.set(number, channel);
    return channel;
  }

  private answered(number: number, content: Buffer): void {
    const asked = this.asked.get(number);
    this.asked.delete(number);
    const end = content.indexOf(10);
    const message = end === -1 ? undefined : parseMessage(content.toString('latin1', 0, end));
    if (message === undefined) return this.frames.close('it sent an invalid message');
    const sent = Buffer.concat([...(asked?.parts ?? []), content.subarray(end + 1)]);
    const bytes = message.fields.packed === undefined ? sent : inflateSync(sent);
    // Who listens to a channel has gone on by then with what came there before.
    setImmediate(() => asked?.answer({ ...message, bytes }));
  }

  private hasClosed(why: string): void {
    this.closedBecause = why;
    for (const { lost } of this.asked.values()) lost(new HostLostError(this.hostName, why));
    this.asked.clear();
    for (const channel of this.channels.values()) channel.wasClosed();
    this.channels.clear();
    this.emit('closed', why);
  }
}

/** A connection that a process of the other host has made. */
export class Channel extends Duplex {
  constructor(private tell: (what: 'd' | 'e' | 'c', bytes: Buffer) => void) {
    super();
  }

  /** The other side, or the link, has closed it: what has arrived can still be read. */
  wasClosed(): void {
    this.tell = () => undefined;
    this.push(null);
    this.end();
  }

  override _read(): void {
    // What arrives is pushed.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.tell('d', chunk);
    done();
  }

  override _final(done: () => void): void {
    this.tell('e', Buffer.alloc(0));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.tell('c', Buffer.alloc(0));
    done(error);
  }
}
