/**
 * What the dynamic linker leaves in a process of a file's own pages, and nobody writes afterwards. A process has a copy of these
 * pages for itself: unlike its code, they stay as they were when somebody writes into the file.
 */
import type { ByteSource } from './byte-source';
import type { ElfFile } from './elf-file';
import { PT_LOAD, type ElfSegment } from './elf-segment';
import { readUInt64AsNumber, SYMBOL_ENTRY_SIZE } from './elf-symbols';

export interface LinkedWords {
  /** The dynamic section: pairs of a tag and a value, of which some are addresses. Undefined in a static executable. */
  dynamic: { address: number; bytes: Buffer } | undefined;
  /** Read-only once it has been linked; `start` to `end` as linked. */
  sealed: { start: number; end: number } | undefined;
  /** In the sealed range: where the address of a place in this file stands. */
  addresses: readonly { at: number; value: number }[];
  /** In the sealed range: where the address of a symbol stands that this file defines, and perhaps another one, too. */
  symbols: readonly { at: number; value: number }[];
}

const PT_DYNAMIC = 2;
const PT_GNU_RELRO = 0x6474e552;
const DT_RELA = 7;
const DT_RELASZ = 8;
const relocationSize = 24;
const STT_OBJECT = 1;
const STT_FUNC = 2;

/** Types of relocations, by e_machine. */
const relocations: Readonly<Record<number, { relative: number; global: number }>> = {
  62: { relative: 8, global: 6 },
  183: { relative: 1027, global: 1025 },
};

/** Throws ElfError. */
export function readLinkedWords(source: ByteSource, elf: ElfFile): LinkedWords {
  const { segments } = elf;
  const section = segments.find(({ type }) => type === PT_DYNAMIC);
  if (section === undefined) return { dynamic: undefined, sealed: undefined, addresses: [], symbols: [] };
  const bytes = source.read(section.offset, section.fileSize);
  const relro = segments.find(({ type }) => type === PT_GNU_RELRO);
  const sealed = relro && { start: relro.address, end: relro.address + relro.size };
  const found = sealed === undefined ? [] : relocationsIn(source, elf, bytes).filter(({ at }) => isIn(sealed, at));
  return {
    dynamic: { address: section.address, bytes },
    sealed,
    addresses: found.flatMap(({ at, value, isSymbol }) => (isSymbol ? [] : [{ at, value }])),
    symbols: found.flatMap(({ at, value, isSymbol }) => (isSymbol ? [{ at, value }] : [])),
  };
}

interface Relocation {
  at: number;
  value: number;
  isSymbol: boolean;
}

function relocationsIn(source: ByteSource, { machine, segments, dynamic }: ElfFile, section: Buffer): Relocation[] {
  const types = relocations[machine];
  const table = offsetOf(segments, valueOf(section, DT_RELA));
  if (types === undefined || table === undefined) return [];
  const entries = source.read(table, valueOf(section, DT_RELASZ) ?? 0);
  const starts = Array.from(
    { length: Math.floor(entries.length / relocationSize) },
    (_, index) => index * relocationSize,
  );
  const ofType = (type: number): number[] => starts.filter((start) => entries.readUInt32LE(start + 8) === type);
  const relative = ofType(types.relative).map((start) => ({
    at: readUInt64AsNumber(entries, start),
    value: readUInt64AsNumber(entries, start + 16),
    isSymbol: false,
  }));
  const global = ofType(types.global).map((start) => ({
    at: readUInt64AsNumber(entries, start),
    index: entries.readUInt32LE(start + 12),
  }));
  const symbols = dynamic?.tables.symbols;
  if (symbols === undefined || global.length === 0) return relative;
  const last = global.reduce((most, { index }) => Math.max(most, index), 0);
  const defined = source.read(symbols, (last + 1) * SYMBOL_ENTRY_SIZE);
  return [
    ...relative,
    ...global.flatMap(({ at, index }) => {
      const value = definitionIn(defined, index * SYMBOL_ENTRY_SIZE);
      return value === undefined ? [] : [{ at, value, isSymbol: true }];
    }),
  ];
}

/** The address of data or a function; undefined for what another file defines, and for what has no address of its own. */
function definitionIn(table: Buffer, entry: number): number | undefined {
  const type = table.readUInt8(entry + 4) & 0xf;
  const isDefined = table.readUInt16LE(entry + 6) !== 0;
  return isDefined && (type === STT_OBJECT || type === STT_FUNC) ? readUInt64AsNumber(table, entry + 8) : undefined;
}

function valueOf(section: Buffer, tag: number): number | undefined {
  for (let at = 0; at + 16 <= section.length; at += 16)
    if (readUInt64AsNumber(section, at) === tag) return readUInt64AsNumber(section, at + 8);
  return undefined;
}

function offsetOf(segments: readonly ElfSegment[], address: number | undefined): number | undefined {
  if (address === undefined) return undefined;
  const found = segments.find(
    ({ type, address: start, fileSize }) => type === PT_LOAD && start <= address && address < start + fileSize,
  );
  return found && address - found.address + found.offset;
}

function isIn({ start, end }: { start: number; end: number }, at: number): boolean {
  return start <= at && at + 8 <= end;
}
