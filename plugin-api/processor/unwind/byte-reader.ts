/** Reads the numbers of unwinding information one after the other. Throws UnwindError at the end of its bytes. */
import { UnwindError } from './unwind-error';

/** The parts of a DW_EH_PE: in which form a pointer is stored, and to what it is relative. */
const formMask = 0x0f;
const relativeMask = 0x70;
const indirect = 0x80;
const pcRelative = 0x10;

export class ByteReader {
  private readonly view: DataView;
  at = 0;

  /** `address`: of the first byte in the process. */
  constructor(
    bytes: Uint8Array,
    private readonly address: bigint,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at >= this.view.byteLength;
  }

  /** The address of what is read next. */
  get here(): bigint {
    return this.address + BigInt(this.at);
  }

  u8(): number {
    return this.take(1, (at) => this.view.getUint8(at));
  }

  u16(): number {
    return this.take(2, (at) => this.view.getUint16(at, true));
  }

  u32(): number {
    return this.take(4, (at) => this.view.getUint32(at, true));
  }

  i32(): number {
    return this.take(4, (at) => this.view.getInt32(at, true));
  }

  u64(): bigint {
    return this.take(8, (at) => this.view.getBigUint64(at, true));
  }

  signed(size: 1 | 2 | 4 | 8): bigint {
    const bytes = this.take(size, (at) => {
      let value = 0n;
      for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.view.getUint8(at + i));
      return value;
    });
    return BigInt.asIntN(8 * size, bytes);
  }

  /** ULEB128. */
  unsigned(): number {
    const value = this.leb().value;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnwindError('a number is too large');
    return Number(value);
  }

  /** SLEB128. */
  signedLeb(): number {
    const { value, bits } = this.leb();
    const signed = Number(BigInt.asIntN(bits, value));
    if (!Number.isSafeInteger(signed)) throw new UnwindError('a number is too large');
    return signed;
  }

  bytes(length: number): Uint8Array {
    return this.take(length, (at) => new Uint8Array(this.view.buffer, this.view.byteOffset + at, length));
  }

  rest(): Uint8Array {
    return this.bytes(this.view.byteLength - this.at);
  }

  /** Up to its terminating zero. */
  text(): string {
    let text = '';
    for (let byte = this.u8(); byte !== 0; byte = this.u8()) text += String.fromCharCode(byte);
    return text;
  }

  /** An address in DW_EH_PE form: absolute, or relative to where it is stored; what is indirect is not followed. */
  pointer(encoding: number): bigint {
    const from = this.here;
    const relative = encoding & relativeMask;
    if ((encoding & indirect) !== 0 || (relative !== 0 && relative !== pcRelative))
      throw new UnwindError('a pointer is stored in an unusual form');
    return BigInt.asUintN(64, this.formed(encoding & formMask) + (relative === pcRelative ? from : 0n));
  }

  /** A length in the form of a pointer. */
  extent(encoding: number): bigint {
    const form = encoding & formMask;
    return BigInt.asUintN(form === 0x0b || form === 0x03 ? 32 : 64, this.formed(form));
  }

  private formed(form: number): bigint {
    switch (form) {
      case 0x00:
      case 0x04:
        return this.u64();
      case 0x0c:
        return this.signed(8);
      case 0x03:
        return BigInt(this.u32());
      case 0x0b:
        return this.signed(4);
      default:
        throw new UnwindError('a pointer is stored in an unusual form');
    }
  }

  private leb(): { value: bigint; bits: number } {
    let value = 0n;
    for (let bits = 0; bits < 70; bits += 7) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << BigInt(bits);
      if ((byte & 0x80) === 0) {
        const width = bits + 7;
        return { value, bits: (byte & 0x40) === 0 ? width + 1 : width };
      }
    }
    throw new UnwindError('a number is too large');
  }

  private take<T>(length: number, read: (at: number) => T): T {
    if (this.at + length > this.view.byteLength) throw new UnwindError('unwinding information is cut off');
    const value = read(this.at);
    this.at += length;
    return value;
  }
}
