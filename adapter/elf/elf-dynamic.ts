/**
 * The dynamic section: what a file requires from the dynamic linker, and its symbols where section headers are
 * stripped.
 */
import type { ByteSource } from './byte-source';
import { ElfError } from './byte-source';
import type { ElfSegment } from './elf-segment';
import { PT_LOAD } from './elf-segment';
import { readCString, readUInt64AsNumber, SYMBOL_ENTRY_SIZE, SymbolTable } from './elf-symbols';

export interface ElfDynamic {
  /** Names of the libraries it needs, in its order. */
  needed: readonly string[];
  soname: string | undefined;
  /** Unexpanded: "$ORIGIN/../lib:/opt/lib". */
  rpath: string | undefined;
  runpath: string | undefined;
  /** File offsets of the tables; undefined where there is none. */
  tables: DynamicTables;
}

interface DynamicTables {
  symbols: number | undefined;
  strings: Buffer;
  versions: number | undefined;
  hash: number | undefined;
  gnuHash: number | undefined;
}

const DT_NEEDED = 1;
const DT_HASH = 4;
const DT_STRTAB = 5;
const DT_SYMTAB = 6;
const DT_STRSZ = 10;
const DT_SONAME = 14;
const DT_RPATH = 15;
const DT_RUNPATH = 29;
const DT_GNU_HASH = 0x6ffffef5;
const DT_VERSYM = 0x6ffffff0;
const ENTRY_SIZE = 16;

/** undefined in a static executable. Throws ElfError when the section names tables outside the file. */
export function readDynamic(
  source: ByteSource,
  segments: readonly ElfSegment[],
  segment: ElfSegment | undefined,
  bias: bigint,
): ElfDynamic | undefined {
  if (segment === undefined) return undefined;
  const entries = readEntries(source.read(segment.offset, segment.fileSize));
  const tableAt = (tag: number): number | undefined => {
    const address = entries.get(tag)?.[0];
    return address === undefined ? undefined : fileOffset(segments, address, bias);
  };
  const stringsAt = tableAt(DT_STRTAB);
  const stringsSize = entries.get(DT_STRSZ)?.[0] ?? 0;
  const strings = stringsAt === undefined ? Buffer.alloc(0) : source.read(stringsAt, stringsSize);
  const text = (tag: number): string[] => (entries.get(tag) ?? []).map((offset) => readCString(strings, offset));
  return {
    needed: text(DT_NEEDED),
    soname: text(DT_SONAME)[0],
    rpath: text(DT_RPATH)[0],
    runpath: text(DT_RUNPATH)[0],
    tables: {
      symbols: tableAt(DT_SYMTAB),
      strings,
      versions: tableAt(DT_VERSYM),
      hash: tableAt(DT_HASH),
      gnuHash: tableAt(DT_GNU_HASH),
    },
  };
}

/** The dynamic symbol table, its length taken from the hash table: for files without section headers. */
export function readDynamicSymbols(source: ByteSource, dynamic: ElfDynamic): SymbolTable | undefined {
  const { symbols, strings, versions, hash, gnuHash } = dynamic.tables;
  if (symbols === undefined) return undefined;
  let count = 0;
  if (hash !== undefined) count = source.read(hash, 8).readUInt32LE(4);
  else if (gnuHash !== undefined) count = countGnuHashed(source, gnuHash);
  return new SymbolTable(
    source.read(symbols, count * SYMBOL_ENTRY_SIZE),
    strings,
    versions === undefined ? undefined : source.read(versions, count * 2),
  );
}

function readEntries(section: Buffer): Map<number, number[]> {
  const entries = new Map<number, number[]>();
  for (let at = 0; at + ENTRY_SIZE <= section.length; at += ENTRY_SIZE) {
    const tag = readUInt64AsNumber(section, at);
    if (tag === 0) break;
    const values = entries.get(tag);
    if (values === undefined) entries.set(tag, [readUInt64AsNumber(section, at + 8)]);
    else values.push(readUInt64AsNumber(section, at + 8));
  }
  return entries;
}

/** In memory glibc has added the bias to the addresses of the dynamic section, musl has not. */
function fileOffset(segments: readonly ElfSegment[], address: number, bias: bigint): number {
  for (const candidate of [address, address - Number(bias)]) {
    for (const segment of segments) {
      if (segment.type !== PT_LOAD || candidate < segment.address) continue;
      if (candidate < segment.address + segment.fileSize) return candidate - segment.address + segment.offset;
    }
  }
  throw new ElfError('its dynamic section points outside the file');
}

/** Symbols are sorted by bucket: the last one is the end of the chain that starts last. */
function countGnuHashed(source: ByteSource, table: number): number {
  const header = source.read(table, 16);
  const bucketCount = header.readUInt32LE(0);
  const firstHashed = header.readUInt32LE(4);
  const bucketsAt = table + 16 + header.readUInt32LE(8) * 8;
  const buckets = source.read(bucketsAt, bucketCount * 4);
  let last = 0;
  for (let at = 0; at < buckets.length; at += 4) last = Math.max(last, buckets.readUInt32LE(at));
  if (last < firstHashed) return firstHashed;
  const chainsAt = bucketsAt + buckets.length;
  while ((source.read(chainsAt + (last - firstHashed) * 4, 4).readUInt32LE(0) & 1) === 0) last++;
  return last + 1;
}
