/** The notes of a core file: the process, its threads, its signal, and the files that it had mapped. */
import { ElfError } from '../../elf/byte-source';
import { readUInt64AsNumber } from '../../elf/elf-symbols';

export interface CoreThread {
  /** The kernel's number of the thread; of a process' first thread its pid. */
  lwp: number;
  /** The signal that it was dealing with; 0: none. */
  signal: number;
  /** elf_gregset_t: on x86-64 27 words. */
  registers: Buffer;
}

/** A file as the process had mapped it. */
export interface CoreMapping {
  start: number;
  end: number;
  /** Into the file. */
  offset: number;
  /** As the kernel names it: with " (deleted)" where the name leads to it no more. Several such files may have one name. */
  file: string;
  /** As the process saw it, without " (deleted)". */
  path: string;
}

/** The signal that ended the process; the fields that do not belong to the signal mean nothing. */
export interface CoreSignal {
  number: number;
  /** si_code: above 0 the kernel's own reason, else who sent it. */
  code: number;
  address: bigint;
  sender: number;
}

export interface CoreNotes {
  /** In the file's order: the kernel and gcore write the one that the signal hit first. */
  threads: readonly CoreThread[];
  /** Undefined where there is no NT_PRPSINFO. */
  process: { pid: number; parent: number; name: string; commandLine: string } | undefined;
  signal: CoreSignal | undefined;
  /** By type: AT_ENTRY, AT_EXECFN, … */
  auxiliary: ReadonlyMap<number, bigint>;
  /** The auxiliary vector as bytes: they are on the stack, too. */
  auxiliaryBytes: Buffer;
  /** Ascending. */
  mappings: readonly CoreMapping[];
}

const NT_PRSTATUS = 1;
const NT_PRPSINFO = 3;
const NT_AUXV = 6;
const NT_FILE = 0x46494c45;
const NT_SIGINFO = 0x53494749;

/** Throws ElfError when no thread is in the notes. Invalid notes are skipped. */
export function readNotes(notes: Buffer): CoreNotes {
  const threads: CoreThread[] = [];
  let process: CoreNotes['process'];
  let signal: CoreSignal | undefined;
  let auxiliaryBytes: Buffer = Buffer.alloc(0);
  let mappings: CoreMapping[] = [];
  for (const { type, content } of eachNote(notes)) {
    if (type === NT_PRSTATUS && content.length >= 336 - 8) threads.push(threadOf(content));
    if (type === NT_PRPSINFO && content.length >= 136) process ??= processOf(content);
    if (type === NT_SIGINFO && content.length >= 32) signal ??= signalOf(content);
    if (type === NT_AUXV && auxiliaryBytes.length === 0) auxiliaryBytes = content;
    if (type === NT_FILE && mappings.length === 0) mappings = mappingsOf(content);
  }
  if (threads.length === 0)
    throw new ElfError('it contains no thread: it is not a core of a process, or it is damaged');
  return { threads, process, signal, auxiliary: auxiliaryOf(auxiliaryBytes), auxiliaryBytes, mappings };
}

/** Those of the owner CORE; names and contents are padded to words. */
function* eachNote(notes: Buffer): Generator<{ type: number; content: Buffer }> {
  for (let at = 0; at + 12 <= notes.length;) {
    const nameSize = notes.readUInt32LE(at);
    const size = notes.readUInt32LE(at + 4);
    const start = at + 12 + padded(nameSize);
    const end = start + size;
    if (end > notes.length) return;
    if (notes.toString('latin1', at + 12, at + 16) === 'CORE')
      yield { type: notes.readUInt32LE(at + 8), content: notes.subarray(start, end) };
    at = start + padded(size);
  }
}

/** struct elf_prstatus: siginfo (12 bytes), cursig at 12, pid at 32, the registers from 112 up to the last 8 bytes. */
function threadOf(status: Buffer): CoreThread {
  return {
    lwp: status.readInt32LE(32),
    signal: status.readUInt16LE(12),
    registers: status.subarray(112, status.length - 8),
  };
}

/** struct elf_prpsinfo: pid at 24, its parent's at 28, the name (16 bytes) at 40, the command line (80 bytes) at 56. */
function processOf(info: Buffer): NonNullable<CoreNotes['process']> {
  return {
    pid: info.readInt32LE(24),
    parent: info.readInt32LE(28),
    name: textIn(info, 40, 16),
    commandLine: textIn(info, 56, 80).trimEnd(),
  };
}

function signalOf(info: Buffer): CoreSignal {
  return {
    number: info.readInt32LE(0),
    code: info.readInt32LE(8),
    address: info.readBigUInt64LE(16),
    sender: info.readInt32LE(16),
  };
}

function auxiliaryOf(bytes: Buffer): Map<number, bigint> {
  const found = new Map<number, bigint>();
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const type = readUInt64AsNumber(bytes, at);
    if (type === 0) break;
    found.set(type, bytes.readBigUInt64LE(at + 8));
  }
  return found;
}

/** NT_FILE: count, page size, three words for each mapping, then the paths. */
function mappingsOf(content: Buffer): CoreMapping[] {
  if (content.length < 16) return [];
  const count = readUInt64AsNumber(content, 0);
  const pageSize = readUInt64AsNumber(content, 8);
  const mappings: CoreMapping[] = [];
  let pathAt = 16 + count * 24;
  for (let index = 0; index < count && pathAt < content.length; index++) {
    const at = 16 + index * 24;
    const pathEnd = content.indexOf(0, pathAt);
    if (pathEnd < 0) break;
    const start = readUInt64AsNumber(content, at);
    const end = readUInt64AsNumber(content, at + 8);
    const offset = readUInt64AsNumber(content, at + 16) * pageSize;
    const file = content.toString('utf8', pathAt, pathEnd);
    const path = withoutDeleted(file);
    if (start < end && Number.isSafeInteger(end) && Number.isSafeInteger(offset + end - start))
      mappings.push({ start, end, offset, file, path });
    pathAt = pathEnd + 1;
  }
  return mappings.sort((a, b) => a.start - b.start);
}

/** Without what the kernel adds to a name that leads to the file no more. */
function withoutDeleted(file: string): string {
  return file.replace(/ \(deleted\)$/, '');
}

function textIn(bytes: Buffer, at: number, size: number): string {
  const text = bytes.subarray(at, at + size);
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end < 0 ? size : end);
}

function padded(size: number): number {
  return size + ((4 - (size % 4)) % 4);
}
