/**
 * ELF files whose bytes must be waited for: those of another machine, or what a process has of them in its memory.
 * The readers of ELF files ask for one part after the other and go on with what it says; here they begin again each time that
 * a part has arrived, until all that they ask for is there. That is about ten times, and what they do in between is little.
 */
import { checkRange, ElfError, type ByteSource } from './byte-source';

/** As a ByteSource, but to be waited for. */
export interface DistantBytes {
  /** Bytes; nothing behind it can be read. */
  readonly size: number;
  /** Exactly `length` bytes. Rejects with ElfError when they are not there. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** What `read` makes of the bytes: it reads from its source alone, and twice the same from the same bytes. */
export async function readDistant<T>(bytes: DistantBytes, read: (source: ByteSource) => T): Promise<T> {
  const arrived = new ArrivedBytes(bytes.size);
  for (;;) {
    try {
      return read(arrived);
    } catch (error) {
      if (!(error instanceof NotArrived)) throw error;
      await arrived.add(error, bytes);
    }
  }
}

class NotArrived extends Error {
  constructor(
    readonly offset: number,
    readonly length: number,
  ) {
    super('these bytes have not arrived');
  }
}

class ArrivedBytes implements ByteSource {
  private readonly parts = new Map<string, Buffer | ElfError>();

  constructor(readonly size: number) {}

  read(offset: number, length: number): Buffer {
    checkRange(this, offset, length);
    const part = this.parts.get(keyOf(offset, length));
    if (part === undefined) throw new NotArrived(offset, length);
    if (part instanceof ElfError) throw part;
    return part;
  }

  async add({ offset, length }: NotArrived, from: DistantBytes): Promise<void> {
    const part = await from.read(offset, length).catch((error: unknown) => {
      if (error instanceof ElfError) return error;
      throw error;
    });
    this.parts.set(keyOf(offset, length), part);
  }
}

function keyOf(offset: number, length: number): string {
  return `${offset} ${length}`;
}
