/**
 * A question to the agent of another host, which may be anybody's by now: its answer is bounded in length, packed and
 * unpacked, and in time.
 */
import { inflateSync } from 'node:zlib';
import type { HostLostError } from './host-lost-error';
import type { Message } from './messages';

/** What is expected of an answer; without it, a file of the kernel's or a list of names. */
export interface Expected {
  /** Bytes behind the message. */
  readonly maxBytes?: number;
  /** Milliseconds; Infinity for what is answered when something ends there. */
  readonly maxMs?: number;
}

const usual = { maxBytes: 16 << 20, maxMs: 120_000 };
/** Bytes that packing may add to what does not pack. */
const packing = 1024;
/** Bytes. Its parts are longer, but for the last: each takes memory, however short it is. */
const minPart = 1 << 16;

export interface LinkAnswer extends Message {
  bytes: Buffer;
}

/** The message is a sentence about the agent. */
export class BadAnswerError extends Error {
  override name = 'BadAnswerError';
}

export class PendingAnswer {
  readonly answer: Promise<LinkAnswer>;
  private readonly parts: Buffer[] = [];
  private length = 0;
  private readonly maxBytes: number;
  private readonly timer: NodeJS.Timeout | undefined;
  private settle!: { resolve: (answer: LinkAnswer) => void; reject: (error: Error) => void };

  /** `late` is called when the time is over. */
  constructor(
    private readonly kind: string,
    { maxBytes = usual.maxBytes, maxMs = usual.maxMs }: Expected,
    late: (why: string) => void,
  ) {
    this.maxBytes = maxBytes;
    this.answer = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    if (maxMs === Infinity) return;
    this.timer = setTimeout(() => late(`it has not answered "${kind}" for ${maxMs / 1000} seconds`), maxMs);
    this.timer.unref();
  }

  /** A part of the bytes. Throws BadAnswerError. */
  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.maxBytes + packing) throw this.tooLong();
    if (this.parts.length > this.maxBytes / minPart + 1)
      throw new BadAnswerError(`its answer to "${this.kind}" comes in too many parts`);
    this.parts.push(part);
  }

  /** The message, and the last part. Throws BadAnswerError. */
  complete(message: Message, last: Buffer): void {
    this.add(last);
    const sent = Buffer.concat(this.parts);
    const bytes = message.fields.packed === undefined ? sent : this.unpack(sent);
    if (bytes.length > this.maxBytes) throw this.tooLong();
    clearTimeout(this.timer);
    // Who listens to a channel has gone on by then with what came there before.
    setImmediate(() => this.settle.resolve({ ...message, bytes }));
  }

  lost(error: HostLostError): void {
    clearTimeout(this.timer);
    this.settle.reject(error);
  }

  private unpack(sent: Buffer): Buffer {
    try {
      return inflateSync(sent, { maxOutputLength: this.maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw this.tooLong();
      throw new BadAnswerError(`its answer to "${this.kind}" does not unpack`);
    }
  }

  private tooLong(): BadAnswerError {
    return new BadAnswerError(`its answer to "${this.kind}" is longer than ${this.maxBytes} bytes`);
  }
}
