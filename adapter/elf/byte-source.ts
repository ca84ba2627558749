/** The bytes of an ELF file: from the file itself, or from the mappings of a process whose file is gone. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { counted } from '../../plugin-api/counted';
import { orShortage } from './shortage-error';

/** A fault in a file that should be an ELF file; the message does not name the file. */
export class ElfError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'ElfError';
  }
}

/** Bytes are missing: the file was cut off, or is still being written. */
export class IncompleteError extends ElfError {}

export interface ByteSource {
  /** Bytes; nothing behind it can be read. */
  readonly size: number;
  /** Exactly `length` bytes. Throws ElfError when they are not there; allocates nothing before that is known. */
  read(offset: number, length: number): Buffer;
}

/** No real file has a longer table; a longer one is a garbage length in a huge, sparse file. */
const maxRead = 1 << 30;

export function checkRange(source: ByteSource, offset: number, length: number): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new ElfError('an offset or a size in it is out of bounds');
  }
  if (offset + length > source.size) {
    throw new IncompleteError(
      `it is truncated: ${counted(length, 'byte')} at offset ${offset} beyond its end (${counted(source.size, 'byte')})`,
    );
  }
  if (length > maxRead) throw new ElfError(`it contains a table of ${length} bytes, too long to read`);
}

/** Bytes that are in memory already. */
export class BytesSource implements ByteSource {
  constructor(private readonly bytes: Buffer) {}

  get size(): number {
    return this.bytes.length;
  }

  read(offset: number, length: number): Buffer {
    checkRange(this, offset, length);
    return this.bytes.subarray(offset, offset + length);
  }
}

/** All of a regular file. Throws ElfError when it is none, or longer; Node's own error when it cannot be opened. */
export function readRegularFile(path: string, longest: number): Buffer {
  const source = new FileSource(path);
  try {
    if (source.size > longest) throw new ElfError(`it is longer than ${longest} bytes`);
    return source.read(0, source.size);
  } finally {
    source.close();
  }
}

/** A regular file, held open until close(). Throws Node's own error when it cannot be opened, or ShortageError. */
export class FileSource implements ByteSource {
  readonly size: number;
  /** Tells this content of this file from every other file and from its own later contents. */
  readonly identity: string;
  readonly inode: bigint;
  /** Seconds since 1970. */
  readonly modified: number;
  /** As `modified`, and never set back: by no copy that keeps the times, and by no touch. */
  readonly changed: number;
  private readonly descriptor: number;

  constructor(path: string) {
    // O_NONBLOCK: a FIFO in the place of a library must not hang the debugger.
    this.descriptor = openDescriptor(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const status = fstatSync(this.descriptor, { bigint: true });
      if (!status.isFile()) throw new ElfError('it is not a regular file');
      this.size = Number(status.size);
      this.inode = status.ino;
      this.modified = Number(status.mtimeNs / 1_000_000_000n);
      this.changed = Number(status.ctimeNs / 1_000_000_000n);
      this.identity = [status.dev, status.ino, status.mtimeNs, status.ctimeNs, status.size].join(':');
    } catch (error) {
      closeSync(this.descriptor);
      throw error;
    }
  }

  read(offset: number, length: number): Buffer {
    checkRange(this, offset, length);
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.descriptor, bytes, done, length - done, offset + done);
      if (count === 0) throw new ElfError('it was truncated while being read');
      done += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Throws as FileSource does. */
function openDescriptor(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw orShortage(error);
  }
}
