/** The memory of a process that left a core file, read from the file without a debugger. */
import { FaultError } from '../../../plugin-api/result';
import { ElfError, type ByteSource } from '../../elf/byte-source';
import type { CoreFile, CoreSegment } from './core-file';
import type { CoreMapping } from './core-notes';

/** A longer length is a garbage count read from a broken struct. */
const maxReadLength = 1 << 30;
const longRead = 1 << 20;
const pageSize = 4096;

/** The file behind a mapping, when what was there is known to be what is in it; a text says why it is not. */
export type FileBehind = (mapping: CoreMapping) => ByteSource | string;

export class CoreMemory {
  constructor(
    private readonly core: CoreFile,
    private readonly source: ByteSource,
    /** Pages that were not dumped are read from it. */
    private readonly fileBehind: FileBehind,
  ) {}

  /** Throws FaultError, which names the address and says why the core does not have it. */
  read(address: bigint, length: number): Uint8Array {
    return this.readFrom(address, length, (at, count) => this.undumped(at, count));
  }

  /** What the file itself holds, nothing else. Throws FaultError. */
  readDumped(address: bigint, length: number): Uint8Array {
    return this.readFrom(address, length, (at, count) => {
      throw new FaultError(BigInt(at), count, 'not in the core file');
    });
  }

  private readFrom(address: bigint, length: number, otherwise: (at: number, count: number) => Uint8Array): Uint8Array {
    if (!Number.isSafeInteger(length) || length < 0 || length > maxReadLength)
      throw new FaultError(address, length, 'no such length');
    const start = Number(address);
    if (address < 0n || !Number.isSafeInteger(start + length)) throw new FaultError(address, length);
    // Rejects a garbage length before it is allocated.
    if (length > longRead) this.readFrom(BigInt(start + length - 1), 1, otherwise);
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length;) {
      const at = start + done;
      const segment = rangeAt(this.core.segments, at);
      const dumped = segment === undefined ? 0 : Math.min(length - done, segment.start + segment.dumped - at);
      const part =
        segment !== undefined && dumped > 0
          ? this.dumped(segment, at, dumped)
          : otherwise(at, Math.min(length - done, this.undumpedLength(segment, at)));
      bytes.set(part, done);
      done += part.length;
    }
    return bytes;
  }

  private dumped(segment: CoreSegment, at: number, count: number): Uint8Array {
    try {
      return this.source.read(segment.offset + at - segment.start, count);
    } catch (error) {
      if (error instanceof ElfError) throw new FaultError(BigInt(at), count, `the core file changed: ${error.message}`);
      throw error;
    }
  }

  /** How far what holds for this address holds. */
  private undumpedLength(segment: CoreSegment | undefined, at: number): number {
    const mapping = rangeAt(this.core.mappings, at);
    return Math.max(1, Math.min(segment?.end ?? Infinity, mapping?.end ?? segment?.end ?? at + 1) - at);
  }

  private undumped(at: number, count: number): Uint8Array {
    const mapping = rangeAt(this.core.mappings, at);
    const segment = rangeAt(this.core.segments, at);
    // What was dumped, and has been cut off, may be other than the file.
    if (segment !== undefined && at < segment.start + segment.announced)
      throw new FaultError(BigInt(at), count, 'the core file is truncated');
    if (mapping === undefined) {
      if (segment === undefined) throw new FaultError(BigInt(at), count, 'nothing was mapped there');
      const why = this.core.missing > 0 ? 'the core file is truncated' : 'the core file does not hold these pages';
      throw new FaultError(BigInt(at), count, why);
    }
    const file = this.fileBehind(mapping);
    if (typeof file === 'string')
      throw new FaultError(
        BigInt(at),
        count,
        `the core file does not hold these pages of ${mapping.path}, and ${file}`,
      );
    return readMapped(file, mapping, at, count);
  }
}

/** Behind the end of a file the rest of its last page is zero. */
function readMapped(file: ByteSource, mapping: CoreMapping, at: number, count: number): Uint8Array {
  const offset = mapping.offset + at - mapping.start;
  if (offset + count > Math.ceil(file.size / pageSize) * pageSize)
    throw new FaultError(BigInt(at), count, `beyond the end of ${mapping.path}`);
  const there = Math.max(0, Math.min(count, file.size - offset));
  const bytes = new Uint8Array(count);
  if (there > 0) bytes.set(file.read(offset, there));
  return bytes;
}

/** The range that contains the address; `ranges` ascend and do not overlap. */
export function rangeAt<Range extends { start: number; end: number }>(
  ranges: readonly Range[],
  address: number,
): Range | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && address < range.end ? range : undefined;
}
