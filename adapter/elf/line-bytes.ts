/** Reads the numbers of .debug_line one after the other. Throws ElfError at the end of its bytes. */
import { ElfError } from './byte-source';

export class LineBytes {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  u8(): number {
    return this.bytes[this.take(1)]!;
  }

  i8(): number {
    return this.bytes.readInt8(this.take(1));
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.take(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.take(4));
  }

  u64(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8));
  }

  /** ULEB128. */
  unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
    }
  }

  /** SLEB128. */
  signed(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.u8();
      value += (byte & 0x7f) * factor;
      if (byte < 128) return (byte & 0x40) === 0 ? value : value - factor * 128;
    }
  }

  /** A number of things that take a byte each at least. */
  count(): number {
    const count = this.unsigned();
    if (count > this.bytes.length - this.at) throw new ElfError('its line numbers are cut off');
    return count;
  }

  /** Up to its terminating zero. */
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw new ElfError('its line numbers are cut off');
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end + 1;
    return text;
  }

  skip(length: number): void {
    this.take(length);
  }

  private take(length: number): number {
    const { at } = this;
    if (at + length > this.bytes.length) throw new ElfError('its line numbers are cut off');
    this.at += length;
    return at;
  }
}
