/**
 * ELF files whose bytes must be waited for: those of another machine, or what a process has of them in its memory. The
 * readers of ELF files are synchronous and need one part after the other. Here they start again whenever a missing part
 * has arrived, until everything they need is there. That takes a few cheap rounds.
 */
import { checkRange, ElfError, type ByteSource } from './byte-source';

/** As a ByteSource, but to be waited for. */
export interface DistantBytes {
  /** Bytes; nothing behind it can be read. */
  readonly size: number;
  /** Exactly `length` bytes. Rejects with ElfError when they are not there. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** A regular file as it was when it was opened, until close(). */
export interface DistantFile extends DistantBytes {
  /** When it was last written: seconds since 1970. */
  readonly modified: number;
  /** Tells this content of this file from all others, of other hosts too, and from its own later contents. */
  readonly identity: string;
  close(): void;
}

/** Opens the file that has this name on some machine. Rejects with ElfError for what is no regular file, or an error with a `code`. */
export type OpenFile = (path: string) => Promise<DistantFile>;

/** What `use` makes of a file, which is closed then. */
export async function withFile<Value>(
  path: string,
  open: OpenFile,
  use: (file: DistantFile) => Promise<Value>,
): Promise<Value> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    file.close();
  }
}

const page = 4096;

/** The result of `read`, which must read only from its source and be deterministic. */
export function readDistant<T>(bytes: DistantBytes, read: (source: ByteSource) => T): Promise<T> {
  return new DistantReader(bytes).read(read);
}

/** Reads distant bytes for several readers: what has arrived for one is there for the next. */
export class DistantReader {
  private readonly arrived: ArrivedBytes;

  constructor(private readonly bytes: DistantBytes) {
    this.arrived = new ArrivedBytes(bytes.size);
  }

  async read<T>(read: (source: ByteSource) => T): Promise<T> {
    for (;;) {
      try {
        return read(this.arrived);
      } catch (error) {
        if (!(error instanceof NotArrived)) throw error;
        await this.arrived.add(error, this.bytes);
      }
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
  private readonly parts: { start: number; bytes: Buffer }[] = [];
  private readonly failures = new Map<string, ElfError>();

  constructor(readonly size: number) {}

  read(offset: number, length: number): Buffer {
    checkRange(this, offset, length);
    const part = this.parts.find(({ start, bytes }) => start <= offset && offset + length <= start + bytes.length);
    if (part !== undefined) return part.bytes.subarray(offset - part.start, offset - part.start + length);
    throw this.failures.get(`${offset} ${length}`) ?? new NotArrived(offset, length);
  }

  /** Whole pages where they can be had: headers, notes and tables lie side by side. */
  async add({ offset, length }: NotArrived, from: DistantBytes): Promise<void> {
    const start = offset - (offset % page);
    const end = Math.min(Math.ceil((offset + length) / page) * page, this.size);
    try {
      this.parts.push({ start, bytes: await from.read(start, end - start) });
    } catch {
      await this.addExactly(offset, length, from);
    }
  }

  private async addExactly(offset: number, length: number, from: DistantBytes): Promise<void> {
    try {
      this.parts.push({ start: offset, bytes: await from.read(offset, length) });
    } catch (error) {
      if (!(error instanceof ElfError)) throw error;
      this.failures.set(`${offset} ${length}`, error);
    }
  }
}
