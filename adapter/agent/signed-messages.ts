/**
 * Messages on a connection that others may reach into. Each is a frame: its length (4 bytes), its content, and 16 bytes of
 * HMAC-SHA256(key, number of the frame (8 bytes), content), with a key for each direction. What was changed, left out,
 * repeated or put in by somebody else ends the connection before anything of it is looked at.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { SessionKeys } from './proof';

const macLength = 16;
/** A longer one is none of ours. */
const maxContent = (1 << 20) + 4096;
/** Milliseconds: after so long without a frame of ours one without content is sent … */
const pulse = 5000;
/** … so a connection that brings none for so long is cut somewhere. */
const maxSilence = 30_000;
/** Bytes that the other end may have on the way when we give it up. */
const maxIgnored = 256 << 20;

export interface MessageHandlers {
  /** One after the other. */
  content(content: Buffer): void;
  /** Once. `mayReturn`: the connection was given up, not ended by the other end. */
  closed(why: string, mayReturn: boolean): void;
}

/**
 * The last frame of ours on a connection that we give up. Without it the end of the connection is our own end, and that of the
 * ranks beyond.
 */
const farewell = Buffer.from('l');

export class SignedMessages {
  private sent = 0n;
  private received = 0n;
  private readonly parts: Buffer[] = [];
  private length = 0;
  private lastSent = Date.now();
  private lastReceived = Date.now();
  private readonly heart: NodeJS.Timeout;
  private hasClosed = false;

  /** Reads the socket from now on. */
  constructor(
    private readonly socket: Socket,
    private readonly keys: SessionKeys,
    private readonly handlers: MessageHandlers,
  ) {
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('close', () => this.close('the connection ended'));
    socket.resume();
    this.heart = setInterval(() => this.beat(), 1000);
    this.heart.unref();
  }

  /** Bytes of it that the network has not taken yet. */
  get waiting(): number {
    return this.socket.writableLength;
  }

  send(...content: readonly Buffer[]): void {
    if (this.hasClosed) return;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.reduce((sum, part) => sum + part.length, 0));
    const mac = macOf(this.keys.toThem, this.sent++, content);
    // The commands for several ranks are sent in a row: they go in one packet.
    if (this.socket.writableCorked === 0) {
      this.socket.cork();
      setImmediate(() => this.socket.uncork());
    }
    this.socket.write(Buffer.concat([length, ...content, mac]));
    this.lastSent = Date.now();
  }

  /** Whoever is at the other end, ends. */
  close(why: string): void {
    if (this.hasClosed) return;
    this.hasClosed = true;
    clearInterval(this.heart);
    // Flush what was sent in this turn, such as what to do with a rank.
    this.socket.uncork();
    this.socket.destroy();
    this.handlers.closed(why, false);
  }

  /** Something is wrong with the connection or the other end, not with us: what the other end hears then, maybe later, is to let its ranks go. */
  giveUp(why: string): void {
    if (this.hasClosed) return;
    this.send(farewell);
    this.hasClosed = true;
    clearInterval(this.heart);
    this.socket.removeAllListeners('data');
    // Read on, into nothing: a connection that is closed with something unread loses what was sent last.
    let ignored = 0;
    this.socket.on('data', ({ length }: Buffer) => {
      ignored += length;
      if (ignored > maxIgnored) this.socket.destroy();
    });
    this.socket.resume();
    this.socket.end();
    this.socket.unref();
    this.handlers.closed(why, true);
  }

  private beat(): void {
    const now = Date.now();
    if (now - this.lastReceived > maxSilence) this.giveUp(`nothing was heard from it for ${maxSilence / 1000} seconds`);
    else if (now - this.lastSent >= pulse) this.send();
  }

  private take(chunk: Buffer): void {
    this.parts.push(chunk);
    this.length += chunk.length;
    for (;;) {
      const content = this.next();
      if (content === undefined || this.hasClosed) return;
      this.lastReceived = Date.now();
      if (content.length > 0) this.handlers.content(content);
    }
  }

  private next(): Buffer | undefined {
    if (this.hasClosed || this.length < 4) return undefined;
    // Only when a frame may be whole are its pieces put together.
    if ((this.parts[0]?.length ?? 0) < 4) this.join();
    const length = this.parts[0]!.readUInt32BE(0);
    if (length > maxContent) {
      this.giveUp('it sent an invalid frame');
      return undefined;
    }
    const whole = 4 + length + macLength;
    if (this.length < whole) return undefined;
    this.join();
    const [all] = this.parts as [Buffer];
    const content = all.subarray(4, 4 + length);
    if (!timingSafeEqual(macOf(this.keys.toUs, this.received++, [content]), all.subarray(4 + length, whole))) {
      this.giveUp('somebody has tampered with the connection');
      return undefined;
    }
    this.parts[0] = all.subarray(whole);
    this.length -= whole;
    return content;
  }

  private join(): void {
    if (this.parts.length > 1) this.parts.splice(0, this.parts.length, Buffer.concat(this.parts));
  }
}

function macOf(key: Buffer, number: bigint, content: readonly Buffer[]): Buffer {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(number);
  const mac = createHmac('sha256', key).update(counter);
  for (const part of content) mac.update(part);
  return mac.digest().subarray(0, macLength);
}
