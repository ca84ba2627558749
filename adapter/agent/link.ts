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
 *   agent → us   l 0                the agent gives it up: it comes back on another one, when it can
 *
 * The agent's first frame is a message, "node", that says which host it is.
 */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { HostLostError } from './host-lost-error';
import { SignedMessages } from './signed-messages';
import { formatMessage, parseMessage, type Message } from './messages';
import { BadAnswerError, PendingAnswer, type Expected, type LinkAnswer } from './pending-answer';
import type { SessionKeys } from './proof';
import type { HostReach } from '../hosts/host';

/** Connections of one host at once: those of its ranks, of their gdbs, and of what logs. */
const maxChannels = 16_384;
/** Bytes that have arrived and have not been read yet: of one channel, and of all channels together. */
const maxUnread = 64 << 20;
const maxUnreadOfAll = 128 << 20;
/** After so many bytes, what is unread is counted again over all channels. */
const uncounted = 16 << 20;
/** Bytes of memory that each piece takes besides, however short it is. */
const ofPiece = 128;

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
  private readonly asked = new Map<number, PendingAnswer>();
  private hasSaidWho = false;
  private lastQuestion = 0;
  private arrivedUncounted = 0;
  private hostName = '';
  private closedBecause: string | undefined;
  private reachNow: HostReach = 'inReach';

  constructor(socket: Socket, keys: SessionKeys) {
    super();
    this.frames = new SignedMessages(socket, keys, {
      content: (content) => this.take(content),
      closed: (why, mayReturn) => this.hasClosed(why, mayReturn),
    });
  }

  /** As its kernel calls it. */
  get host(): string {
    return this.hostName;
  }

  get isClosed(): boolean {
    return this.closedBecause !== undefined;
  }

  get reach(): HostReach {
    return this.reachNow;
  }

  /** Rejects with HostLostError. `no` is an answer too. */
  ask(
    kind: string,
    fields: Readonly<Record<string, string | number>> = {},
    expected: Expected = {},
  ): Promise<LinkAnswer> {
    if (this.closedBecause !== undefined) return Promise.reject(new HostLostError(this.hostName, this.closedBecause));
    const number = ++this.lastQuestion;
    const pending = new PendingAnswer(kind, expected, (why) => this.frames.giveUp(why));
    this.asked.set(number, pending);
    this.send('q', number, Buffer.from(formatMessage(kind, fields)));
    return pending.answer;
  }

  /** What it answers cannot be true: nothing more is believed. Its ranks run on. */
  distrust(why: string): HostLostError {
    this.frames.giveUp(why);
    return new HostLostError(this.hostName, why);
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
    try {
      this.obey(content);
    } catch (error) {
      if (!(error instanceof BadAnswerError)) throw error;
      this.frames.giveUp(error.message);
    }
  }

  private obey(content: Buffer): void {
    if (!this.hasSaidWho) {
      const message = parseMessage(content.toString());
      if (message?.kind !== 'node') throw new BadAnswerError('its first message is invalid');
      this.hasSaidWho = true;
      this.hostName = message.fields.host ?? '';
      this.emit('node', message);
      return;
    }
    if (content.length < 5) throw invalid();
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
        channel?.arrived(rest);
        this.countUnread(rest.length);
        break;
      case 'e':
        channel?.arrived(null);
        break;
      case 'c':
        this.channels.delete(number);
        channel?.wasClosed();
        break;
      case 'm':
        this.asked.get(number)?.add(rest);
        break;
      case 'a':
        this.answered(number, rest);
        break;
      case 'l':
        this.frames.giveUp('its agent heard nothing from here');
        break;
    }
  }

  private open(number: number): Channel {
    if (this.channels.has(number)) throw invalid();
    if (this.channels.size >= maxChannels) throw new BadAnswerError('it opens too many connections');
    const channel = new Channel((what, bytes) => {
      if (what === 'c') this.channels.delete(number);
      // Frames have a longest length.
      for (let at = 0; at < bytes.length || at === 0; at += 1 << 20)
        this.send(what, number, bytes.subarray(at, at + (1 << 20)));
    });
    this.channels.set(number, channel);
    return channel;
  }

  private countUnread(arrived: number): void {
    this.arrivedUncounted += arrived + ofPiece;
    if (this.arrivedUncounted < uncounted) return;
    this.arrivedUncounted = 0;
    const unread = [...this.channels.values()].reduce((sum, each) => sum + each.unread, 0);
    if (unread > maxUnreadOfAll) throw unreadable();
  }

  private answered(number: number, content: Buffer): void {
    const end = content.indexOf(10);
    const message = end === -1 ? undefined : parseMessage(content.toString('latin1', 0, end));
    if (message === undefined) throw invalid();
    // Asked until it is complete: whoever asked for what is not valid hears of the end of the link.
    this.asked.get(number)?.complete(message, content.subarray(end + 1));
    this.asked.delete(number);
  }

  private hasClosed(why: string, mayReturn: boolean): void {
    this.closedBecause = why;
    this.reachNow = mayReturn ? 'away' : 'gone';
    for (const pending of this.asked.values()) pending.lost(new HostLostError(this.hostName, why));
    this.asked.clear();
    for (const channel of this.channels.values()) channel.wasClosed();
    this.channels.clear();
    this.emit('closed', why);
  }
}

const unreadable = (): BadAnswerError => new BadAnswerError('it sends more than can be read');
const invalid = (): BadAnswerError => new BadAnswerError('it sent an invalid message');

/** A connection that a process of the other host has made. */
export class Channel extends Duplex {
  private isOver = false;
  /** More than are unread, while some are. */
  private pieces = 0;

  constructor(private tell: (what: 'd' | 'e' | 'c', bytes: Buffer) => void) {
    super();
  }

  /** Bytes of memory. */
  get unread(): number {
    return this.readableLength + this.pieces * ofPiece;
  }

  /** null: no more will come. Throws BadAnswerError. */
  arrived(bytes: Buffer | null): void {
    if (this.isOver) throw invalid();
    this.isOver = bytes === null;
    this.push(bytes);
    this.pieces = this.readableLength === 0 ? 0 : this.pieces + 1;
    if (this.unread > maxUnread) throw unreadable();
  }

  /** The other side, or the link, has closed it: what has arrived can still be read. */
  wasClosed(): void {
    this.tell = () => undefined;
    if (!this.isOver) this.push(null);
    this.isOver = true;
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
