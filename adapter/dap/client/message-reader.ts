/**
 * DAP messages out of a stream's bytes. Strict: a message is exactly `Content-Length: N` and N bytes of JSON, as the
 * specification says, so that no other protocol passes for DAP anywhere in the stream. Linear: the cost of a byte
 * depends neither on how many came before nor on how they were split.
 */
import { isUtf8 } from 'node:buffer';
import type { DebugProtocol } from '@vscode/debugprotocol';

export const maxContentBytes = 64 * 1024 * 1024;
/** The limit for a client that has not proved who it is: initialize is much shorter. */
export const maxFirstBytes = 64 * 1024;
/** The limit for one message. A value of three bytes takes JSON.parse a hundred bytes of memory, and a microsecond. */
const maxValues = 1_000_000;

/** The bytes are not DAP. The message is a fixed sentence that quotes nothing of them. */
export class NotDapError extends Error {
  override name = 'NotDapError';
}

export class MessageReader {
  private header: HeaderReader;
  private content: Content | undefined;

  /** `maxBytes`: of the content of a message; holds from the next header on. */
  constructor(private maxBytes = maxContentBytes) {
    this.header = new HeaderReader(maxBytes);
  }

  /** What comes behind this message may be as long as a client's. */
  trust(): void {
    this.maxBytes = maxContentBytes;
    this.header = new HeaderReader(this.maxBytes);
  }

  /** Takes the next bytes and returns the messages that they complete. Throws NotDapError at the first invalid byte. */
  *read(chunk: Buffer): Generator<DebugProtocol.ProtocolMessage> {
    for (let at = 0; at < chunk.length;) {
      if (this.content === undefined) {
        const length = this.header.take(chunk[at++] as number);
        if (length !== undefined) this.content = new Content(length);
        continue;
      }
      at += this.content.take(chunk.subarray(at));
      const bytes = this.content.whole();
      if (bytes === undefined) return;
      this.header = new HeaderReader(this.maxBytes);
      this.content = undefined;
      yield parseMessage(bytes);
    }
  }
}

const beforeLength = Buffer.from('Content-Length: ');
const afterLength = Buffer.from('\r\n\r\n');
const digitZero = 0x30;

/** One header. Its length is bounded: a number without leading zeros, at most the limit. */
class HeaderReader {
  private taken = 0;
  private length: number | undefined;
  private afterTaken = 0;

  constructor(private readonly maxBytes: number) {}

  /** The length of the content, when this byte is the header's last. */
  take(byte: number): number | undefined {
    if (this.taken < beforeLength.length) {
      if (byte !== beforeLength[this.taken++]) throw noHeader();
      return undefined;
    }
    const digit = byte - digitZero;
    if (this.afterTaken === 0 && digit >= 0 && digit <= 9) {
      if (this.length === undefined && digit === 0) throw noHeader();
      this.length = (this.length ?? 0) * 10 + digit;
      if (this.length > this.maxBytes) throw new NotDapError(`a message is longer than ${this.maxBytes} bytes`);
      return undefined;
    }
    if (this.length === undefined || byte !== afterLength[this.afterTaken++]) throw noHeader();
    return this.afterTaken === afterLength.length ? this.length : undefined;
  }
}

const noHeader = (): NotDapError =>
  new NotDapError('a message does not begin with the header "Content-Length: N", N being its length in bytes');

/** The content of a message as it arrives. Uses at most twice the memory of what has arrived. */
class Content {
  private bytes: Buffer = Buffer.alloc(0);
  private taken = 0;

  constructor(private readonly length: number) {}

  /** How many of these bytes are of this content. */
  take(chunk: Buffer): number {
    const part = chunk.subarray(0, this.length - this.taken);
    if (part.length === this.length) this.bytes = part;
    else {
      this.makeRoomFor(part.length);
      part.copy(this.bytes, this.taken);
    }
    this.taken += part.length;
    return part.length;
  }

  /** Undefined while some are missing. */
  whole(): Buffer | undefined {
    return this.taken === this.length ? this.bytes : undefined;
  }

  /** Doubles each time, so that each byte is moved twice on average, however the content is split. */
  private makeRoomFor(count: number): void {
    const needed = this.taken + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(this.length, Math.max(needed, 2 * this.bytes.length)));
    this.bytes.copy(larger, 0, 0, this.taken);
    this.bytes = larger;
  }
}

function parseMessage(bytes: Buffer): DebugProtocol.ProtocolMessage {
  if (!isModest(bytes)) throw new NotDapError('a message has too many parts');
  const value = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (!isMessage(value)) throw new NotDapError('the content of a message is not a DAP message in JSON');
  return value;
}

const [quote, backslash] = ['"', '\\'].map((each) => each.charCodeAt(0));
/** Each begins at most one value more. */
const beginning = new Set(Buffer.from('[{,'));

/** Whether it can be parsed in little time and memory, should it be JSON. */
function isModest(bytes: Buffer): boolean {
  let [values, isText] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (beginning.has(byte) && ++values > maxValues) return false;
  }
  return true;
}

/** Undefined, which is never JSON, for invalid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is DebugProtocol.ProtocolMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { type, seq, command } = value as Partial<DebugProtocol.Request>;
  if (type !== 'request') return type === 'response' || type === 'event';
  return Number.isSafeInteger(seq) && typeof command === 'string';
}
