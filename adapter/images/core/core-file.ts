/**
 * Reader of ELF core files, as the kernel and gdb's gcore write them: which memory is in the file, and what the notes
 * say about the process. A broken file gives an ElfError, and never makes the reader read or allocate more than the
 * file's length.
 */
import type { ByteSource } from '../../elf/byte-source';
import { ElfError, IncompleteError } from '../../elf/byte-source';
import { readNotes, type CoreNotes } from './core-notes';
import { isElf } from '../../elf/elf-file';
import { isForThisMachine, machineName } from '../../elf/elf-machine';
import { PT_LOAD } from '../../elf/elf-segment';
import { readUInt64AsNumber } from '../../elf/elf-symbols';

/** Memory of the process: a range of its addresses, and how much of it the file holds. */
export interface CoreSegment {
  /** A user's address, which a double holds exactly; ascending, without overlaps. */
  start: number;
  end: number;
  executable: boolean;
  writable: boolean;
  /** Where its bytes are in the file. */
  offset: number;
  /** Bytes from `start` on that are in the file; behind them nothing was dumped. */
  dumped: number;
  /** How many of them there were when it was written: more than are in a truncated file. */
  announced: number;
}

export interface CoreFile extends CoreNotes {
  /** e_machine: 62 for x86-64, 183 for AArch64. */
  machine: number;
  segments: readonly CoreSegment[];
  /** Bytes that should be there and are not: it was cut off, or is still being written. */
  missing: number;
  /** gdb has written it, of a process that may have lived on: its notes are behind the memory, the kernel's before it. */
  isOfGdb: boolean;
}

const ET_CORE = 4;
const PT_NOTE = 4;
const HEADER_SIZE = 64;
const PROGRAM_HEADER_SIZE = 56;
/** PN_XNUM: section 0 has the number of program headers. */
const MANY = 0xffff;
/** A process has at most vm.max_map_count mappings, 65530 unless somebody has raised it. */
const maxSegments = 1 << 20;
/** 4 KiB for each of 16 000 threads. */
const maxNotesLength = 1 << 26;
/** Above lies the kernel, and the page of vsyscall, which is no memory of the process. */
const userSpaceEnd = 2 ** 52;

interface Header {
  type: number;
  offset: number;
  address: number;
  fileSize: number;
  size: number;
  executable: boolean;
  writable: boolean;
}

/** Throws ElfError for what is no core file of a 64-bit process that can be read. */
export function readCore(source: ByteSource): CoreFile {
  if (source.size === 0)
    throw new IncompleteError('it is empty: the core was not written, the disk or a quota may be full');
  const header = readHeader(source);
  const headers = readHeaders(source, header);
  const notes = headers.filter((each) => each.type === PT_NOTE).map((each) => readNoteSegment(source, each));
  return {
    machine: header.readUInt16LE(18),
    segments: segmentsOf(headers, source.size),
    missing: Math.max(0, endOf(headers) - source.size),
    isOfGdb: headers.some(({ type, offset }) => type === PT_NOTE && offset >= endOf(headers.filter(isMemory))),
    ...readNotes(Buffer.concat(notes)),
  };
}

/**
 * Where the segments of a core file with this beginning end; Infinity where that cannot be told, undefined while too
 * little of it is there. Throws as readCore does.
 */
export function announcedEnd(beginning: ByteSource): number | undefined {
  if (beginning.size < HEADER_SIZE) return undefined;
  const header = readHeader(beginning);
  const count = header.readUInt16LE(56);
  const tableEnd = readUInt64AsNumber(header, 32) + count * PROGRAM_HEADER_SIZE;
  if (tableEnd > maxNotesLength) throw new ElfError('its header is out of bounds');
  if (beginning.size < tableEnd) return undefined;
  // The number of very many segments is behind them.
  return count === MANY ? Infinity : endOf(readHeaders(beginning, header));
}

function readHeader(source: ByteSource): Buffer {
  if (isUnwritten(source))
    throw new IncompleteError('it is truncated: its header, which gcore writes last, is missing');
  if (!isElf(source)) throw new ElfError('it is not a core file');
  if (source.size < HEADER_SIZE) throw new IncompleteError('it is truncated: not even its header is complete');
  const header = source.read(0, HEADER_SIZE);
  const machine = header.readUInt16LE(18);
  if (header[4] !== 2)
    throw new ElfError(
      `it is the core of a 32-bit process (${machineName(machine)}): mpidbg reads those of 64-bit ones`,
    );
  if (header[5] !== 1) throw new ElfError('it is the core of a big-endian machine, which mpidbg does not read');
  const type = header.readUInt16LE(16);
  if (type !== ET_CORE) throw new ElfError(`it is not a core file but ${type === 1 ? 'an object file' : 'a program'}`);
  if (!isForThisMachine(machine))
    throw new ElfError(
      `it is the core of a process on another processor, ${machineName(machine)}: open it on a machine of that kind`,
    );
  return header;
}

/** Nothing is at its beginning yet, or less than the mark of ELF files. */
function isUnwritten(source: ByteSource): boolean {
  const beginning = source.read(0, Math.min(source.size, HEADER_SIZE)).toString('latin1');
  return /^\0*$/.test(beginning) || (beginning.length < 4 && '\x7fELF'.startsWith(beginning));
}

function readHeaders(source: ByteSource, header: Buffer): Header[] {
  const start = readUInt64AsNumber(header, 32);
  const announced = header.readUInt16LE(56);
  const count = announced === MANY ? countOfSection(source, header) : announced;
  if (header.readUInt16LE(54) !== PROGRAM_HEADER_SIZE) throw new ElfError('its program headers have an unknown size');
  if (count > maxSegments) throw new ElfError(`it claims to have ${count} segments, more than any process has`);
  const table = source.read(start, count * PROGRAM_HEADER_SIZE);
  return Array.from({ length: count }, (_, index) => {
    const at = index * PROGRAM_HEADER_SIZE;
    return {
      type: table.readUInt32LE(at),
      executable: (table.readUInt32LE(at + 4) & 1) !== 0,
      writable: (table.readUInt32LE(at + 4) & 2) !== 0,
      offset: readUInt64AsNumber(table, at + 8),
      address: readUInt64AsNumber(table, at + 16),
      fileSize: readUInt64AsNumber(table, at + 32),
      size: readUInt64AsNumber(table, at + 40),
    };
  });
}

function countOfSection(source: ByteSource, header: Buffer): number {
  const at = readUInt64AsNumber(header, 40);
  return source.read(at, 64).readUInt32LE(44);
}

function readNoteSegment(source: ByteSource, { offset, fileSize }: Header): Buffer {
  if (fileSize > maxNotesLength) throw new ElfError(`its notes are ${fileSize} bytes long, more than any process has`);
  return source.read(offset, fileSize);
}

/** Segments that are invalid or overlap an earlier one are left out: nothing can be read there. */
function segmentsOf(headers: readonly Header[], fileSize: number): CoreSegment[] {
  const sorted = headers
    .filter((each) => isMemory(each) && each.size > 0 && each.address + each.size <= userSpaceEnd)
    .sort((a, b) => a.address - b.address);
  const segments: CoreSegment[] = [];
  let end = 0;
  for (const { address, size, offset, fileSize: announcedSize, executable, writable } of sorted) {
    if (address < end) continue;
    end = address + size;
    const announced = Math.min(announcedSize, size);
    const dumped = Number.isSafeInteger(offset) ? Math.max(0, Math.min(announced, fileSize - offset)) : 0;
    segments.push({ start: address, end, executable, writable, offset, dumped, announced });
  }
  return segments;
}

function isMemory({ type }: Header): boolean {
  return type === PT_LOAD;
}

/** The end of the last segment in the file. */
function endOf(headers: readonly Header[]): number {
  return headers.reduce((most, { offset, fileSize: size }) => (size > 0 ? Math.max(most, offset + size) : most), 0);
}
