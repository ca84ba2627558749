/**
 * Reader of 64-bit little-endian ELF files: executables, shared libraries, and what is left of them in memory. A broken
 * file gives an ElfError, and never makes the reader read or allocate more than the file's length.
 */
import { inflateSync } from 'node:zlib';
import type { ByteSource } from './byte-source';
import { ElfError } from './byte-source';
import type { ElfDynamic } from './elf-dynamic';
import { readDynamic, readDynamicSymbols } from './elf-dynamic';
import type { ElfSegment } from './elf-segment';
import { PT_LOAD } from './elf-segment';
import { readCString, readUInt64AsNumber, SYMBOL_ENTRY_SIZE, SymbolTable } from './elf-symbols';

export interface ElfFile {
  /** e_type: 2 executable at fixed addresses, 3 shared library or position-independent executable, 4 core. */
  type: number;
  /** e_machine: 62 for x86-64, 183 for AArch64. */
  machine: number;
  segments: readonly ElfSegment[];
  /** undefined in a static executable. */
  dynamic: ElfDynamic | undefined;
  /** PT_INTERP: the dynamic linker. */
  interpreter: string | undefined;
  /** Lower-case hexadecimal. */
  buildId: string | undefined;
  /** What the dynamic linker sees. */
  dynamicSymbols: SymbolTable | undefined;
  /** .symtab, where the file is not stripped. */
  fullSymbols: SymbolTable | undefined;
  /** Compiled with -g, and not stripped. */
  hasDebugInformation: boolean;
  /** Files that hold more of its debug information: a name, or a path. */
  debugLinks: readonly string[];
}

const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const PT_NOTE = 4;
const SHT_SYMTAB = 2;
const SHT_NOBITS = 8;
const SHT_DYNSYM = 11;
const SHT_GNU_VERSYM = 0x6fffffff;
const SHF_COMPRESSED = 0x800;
const ELFCOMPRESS_ZLIB = 1;
const COMPRESSION_HEADER_SIZE = 24;
const NT_GNU_BUILD_ID = 3;
const HEADER_SIZE = 64;
const PROGRAM_HEADER_SIZE = 56;
const SECTION_HEADER_SIZE = 64;
const MANY = 0xffff;
/** PATH_MAX, and a build-id behind it. */
const maxLinkLength = 4096 + 64;

interface Section {
  /** Offset of its name in the section of names. */
  name: number;
  type: number;
  flags: number;
  offset: number;
  size: number;
  link: number;
  info: number;
}

/**
 * `bias`: of a file that is read from the memory of a process, where the dynamic linker has adjusted some addresses. `isWhole`: false
 * where parts of it behind its headers may be missing.
 */
export function readElf(source: ByteSource, { bias = 0n, isWhole = true } = {}): ElfFile {
  const header = readHeader(source);
  const sections = readSections(source, header);
  const segments = readSegments(source, header, sections);
  const part = <T>(read: () => T): T | undefined => (isWhole ? read() : ifThere(read));
  const dynamic = part(() => readDynamic(source, segments, segments.find(ofType(PT_DYNAMIC)), bias));
  const names = namesOf(source, header, sections);
  return {
    type: header.readUInt16LE(16),
    machine: header.readUInt16LE(18),
    segments,
    dynamic,
    interpreter: part(() => readInterpreter(source, segments.find(ofType(PT_INTERP)))),
    buildId: part(() => readBuildId(source, segments.filter(ofType(PT_NOTE)))),
    dynamicSymbols:
      readSectionSymbols(source, sections, SHT_DYNSYM) ?? part(() => dynamic && readDynamicSymbols(source, dynamic)),
    fullSymbols: readSectionSymbols(source, sections, SHT_SYMTAB),
    hasDebugInformation: names.some((name) => /^\.z?debug_info$/.test(name)),
    debugLinks: sections.flatMap((section, index) =>
      /^\.gnu_debug(alt)?link$/.test(names[index] ?? '') ? (readLink(source, section) ?? []) : [],
    ),
  };
}

function ofType(type: number): (segment: ElfSegment) => boolean {
  return (segment) => segment.type === type;
}

export function isElf(source: ByteSource): boolean {
  return source.size >= 4 && source.read(0, 4).toString('latin1') === '\x7fELF';
}

/** The build-id alone, of which the first page of a file mostly holds all. Throws as readElf does. */
export function readBuildIdAlone(source: ByteSource): string | undefined {
  return readBuildId(source, readSegments(source, readHeader(source), []).filter(ofType(PT_NOTE)));
}

/**
 * The bytes of a section, also of one that is compressed (zlib). undefined: there is none, it is longer than `longest`, or compressed in another way.
 * Throws ElfError.
 */
export function readSectionNamed(source: ByteSource, name: string, longest: number): Buffer | undefined {
  const header = readHeader(source);
  const sections = readSections(source, header);
  const section = sections[namesOf(source, header, sections).indexOf(name)];
  if (section === undefined || section.type === SHT_NOBITS || section.size > longest) return undefined;
  const bytes = source.read(section.offset, section.size);
  if ((section.flags & SHF_COMPRESSED) === 0) return bytes;
  const length = bytes.length < COMPRESSION_HEADER_SIZE ? Infinity : readUInt64AsNumber(bytes, 8);
  if (length > longest || bytes.readUInt32LE(0) !== ELFCOMPRESS_ZLIB) return undefined;
  try {
    return inflateSync(bytes.subarray(COMPRESSION_HEADER_SIZE), { maxOutputLength: length });
  } catch {
    throw new ElfError(`its section ${name} cannot be decompressed`);
  }
}

function readHeader(source: ByteSource): Buffer {
  if (!isElf(source)) throw new ElfError('it is not an ELF file');
  const header = source.read(0, HEADER_SIZE);
  if (header[4] !== 2 || header[5] !== 1) throw new ElfError('it is not a 64-bit little-endian ELF file');
  return header;
}

function readSegments(source: ByteSource, header: Buffer, sections: readonly Section[]): ElfSegment[] {
  const start = readUInt64AsNumber(header, 32);
  const announced = header.readUInt16LE(56);
  // PN_XNUM: more program headers than the field holds; section 0 has their number.
  const count = announced === MANY ? (sections[0]?.info ?? 0) : announced;
  if (count === 0) return [];
  if (header.readUInt16LE(54) !== PROGRAM_HEADER_SIZE) throw new ElfError('its program headers have an unknown size');
  const table = source.read(start, count * PROGRAM_HEADER_SIZE);
  const segments: ElfSegment[] = [];
  for (let at = 0; at < table.length; at += PROGRAM_HEADER_SIZE) {
    const flags = table.readUInt32LE(at + 4);
    const segment = {
      type: table.readUInt32LE(at),
      writable: (flags & 2) !== 0,
      executable: (flags & 1) !== 0,
      offset: readUInt64AsNumber(table, at + 8),
      address: readUInt64AsNumber(table, at + 16),
      fileSize: readUInt64AsNumber(table, at + 32),
      size: readUInt64AsNumber(table, at + 40),
    };
    const wild =
      !Number.isSafeInteger(segment.address + segment.size) || !Number.isSafeInteger(segment.offset + segment.fileSize);
    if (wild || (segment.type === PT_LOAD && segment.fileSize > segment.size)) {
      throw new ElfError('a program header in it is out of bounds');
    }
    segments.push(segment);
  }
  return segments;
}

/** Section headers are for linkers: a file runs without them, or with broken ones. */
function readSections(source: ByteSource, header: Buffer): Section[] {
  const start = readUInt64AsNumber(header, 40);
  if (start === 0 || header.readUInt16LE(58) !== SECTION_HEADER_SIZE) return [];
  try {
    // More sections than the field holds: section 0 has their number.
    const announced = header.readUInt16LE(60);
    const count = announced === 0 ? readSection(source.read(start, SECTION_HEADER_SIZE), 0).size : announced;
    const table = source.read(start, count * SECTION_HEADER_SIZE);
    return Array.from({ length: count }, (_, index) => readSection(table, index * SECTION_HEADER_SIZE));
  } catch (error) {
    if (error instanceof ElfError) return [];
    throw error;
  }
}

function readSection(table: Buffer, at: number): Section {
  return {
    name: table.readUInt32LE(at),
    type: table.readUInt32LE(at + 4),
    flags: table.readUInt32LE(at + 8),
    offset: readUInt64AsNumber(table, at + 24),
    size: readUInt64AsNumber(table, at + 32),
    link: table.readUInt32LE(at + 40),
    info: table.readUInt32LE(at + 44),
  };
}

/** Empty where they cannot be read. */
function namesOf(source: ByteSource, header: Buffer, sections: readonly Section[]): string[] {
  const index = header.readUInt16LE(62);
  // More sections than the field holds: section 0 has the number.
  const section = sections[index === MANY ? (sections[0]?.link ?? 0) : index];
  if (section === undefined) return [];
  try {
    const names = source.read(section.offset, section.size);
    return sections.map(({ name }) => readCString(names, name));
  } catch (error) {
    if (error instanceof ElfError) return [];
    throw error;
  }
}

/** undefined where the section cannot be read. */
function readLink(source: ByteSource, { offset, size }: Section): string | undefined {
  return ifThere(() => readCString(source.read(offset, Math.min(size, maxLinkLength)), 0));
}

/** undefined when there is none, and when its section header points out of the file. */
function readSectionSymbols(source: ByteSource, sections: readonly Section[], type: number): SymbolTable | undefined {
  const index = sections.findIndex((section) => section.type === type);
  const section = sections[index];
  const strings = section && sections[section.link];
  if (section === undefined || strings === undefined) return undefined;
  const versions = sections.find((candidate) => candidate.type === SHT_GNU_VERSYM && candidate.link === index);
  return ifThere(
    () =>
      new SymbolTable(
        source.read(section.offset, section.size - (section.size % SYMBOL_ENTRY_SIZE)),
        source.read(strings.offset, strings.size),
        versions && source.read(versions.offset, versions.size),
      ),
  );
}

/** undefined for what lies outside the file, or is missing of it. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ElfError) return undefined;
    throw error;
  }
}

function readInterpreter(source: ByteSource, segment: ElfSegment | undefined): string | undefined {
  return segment && readCString(source.read(segment.offset, segment.fileSize), 0);
}

function readBuildId(source: ByteSource, segments: readonly ElfSegment[]): string | undefined {
  for (const { offset, fileSize } of segments) {
    const notes = source.read(offset, fileSize);
    for (let at = 0; at + 12 <= notes.length;) {
      const nameSize = notes.readUInt32LE(at);
      const size = notes.readUInt32LE(at + 4);
      const start = at + 12 + padded(nameSize);
      const isBuildId = notes.readUInt32LE(at + 8) === NT_GNU_BUILD_ID;
      if (isBuildId && notes.toString('latin1', at + 12, at + 16) === 'GNU\0' && start + size <= notes.length) {
        return notes.toString('hex', start, start + size);
      }
      at = start + padded(size);
    }
  }
  return undefined;
}

/** Names and contents of notes are padded to words. */
function padded(size: number): number {
  return size + ((4 - (size % 4)) % 4);
}
