/** One symbol table of an ELF file, looked up by name and by address. */

export interface ElfSymbol {
  name: string;
  /** Address in the file's own terms: without the module's bias. */
  value: number;
  /** Bytes; 0 when the table does not say. */
  size: number;
}

/** Whether a definition is visible to other modules, or only in its own file (static or hidden). */
export type SymbolScope = 'exported' | 'local';

export const SYMBOL_ENTRY_SIZE = 24;

const SHN_UNDEF = 0;
const SHN_ABS = 0xfff1;
const SHN_COMMON = 0xfff2;
const STT_NOTYPE = 0;
const STT_OBJECT = 1;
const STT_FUNC = 2;
const STT_GNU_IFUNC = 10;
const STB_LOCAL = 0;
const STB_WEAK = 2;
const STV_DEFAULT = 0;
const STV_PROTECTED = 3;
const VERSION_HIDDEN = 0x8000;

/**
 * Definitions of data and functions only: undefined, thread-local (their value is no address), absolute and section
 * symbols are passed over, and so is an entry with a wild name, value or size.
 */
export class SymbolTable {
  private readonly entries: Buffer;
  private readonly strings: Buffer;
  /** .gnu.version, one half-word per entry; empty without versions. */
  private readonly versions: Buffer;
  private names: Record<SymbolScope, Map<string, number>> | undefined;
  private byAddress: { indexes: Uint32Array; reach: Float64Array } | undefined;

  constructor(entries: Buffer, strings: Buffer, versions: Buffer = Buffer.alloc(0)) {
    this.entries = entries;
    this.strings = strings;
    this.versions = versions;
  }

  find(name: string, scope: SymbolScope): ElfSymbol | undefined {
    this.names ??= this.indexNames();
    const index = this.names[scope].get(name);
    return index === undefined ? undefined : this.symbol(index);
  }

  /**
   * The symbol that contains or starts at `value`; of several, the one that starts last. Of several names of one
   * address: global before weak before local, then the first in the alphabet.
   */
  at(value: number): ElfSymbol | undefined {
    this.byAddress ??= this.indexAddresses();
    const { indexes, reach } = this.byAddress;
    let low = 0;
    let high = indexes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.value(indexes[middle] ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    let best: number | undefined;
    for (let order = low - 1; order >= 0 && (reach[order] ?? 0) > value; order--) {
      const index = indexes[order] ?? 0;
      if (best !== undefined && this.value(index) !== this.value(best)) break;
      if (this.value(index) + Math.max(1, this.size(index)) <= value) continue;
      if (best === undefined || this.isBetterName(index, best)) best = index;
    }
    return best === undefined ? undefined : this.symbol(best);
  }

  private isBetterName(index: number, than: number): boolean {
    const order = (candidate: number): number => {
      const binding = this.binding(candidate);
      return binding === STB_LOCAL ? 2 : binding === STB_WEAK ? 1 : 0;
    };
    const difference = order(index) - order(than);
    return difference === 0 ? this.name(index) < this.name(than) : difference < 0;
  }

  private indexNames(): Record<SymbolScope, Map<string, number>> {
    const names = { exported: new Map<string, number>(), local: new Map<string, number>() };
    const oldVersions: number[] = [];
    for (let index = 0; index < this.count; index++) {
      if (!this.isDefinition(index)) continue;
      if (this.scope(index) === 'exported' && this.isOldVersion(index)) oldVersions.push(index);
      else setFirst(names[this.scope(index)], this.name(index), index);
    }
    // name@VERSION counts only where there is no name@@VERSION: nothing that is linked today would get it.
    for (const index of oldVersions) setFirst(names.exported, this.name(index), index);
    return names;
  }

  private indexAddresses(): { indexes: Uint32Array; reach: Float64Array } {
    const found: number[] = [];
    for (let index = 0; index < this.count; index++) {
      if (this.isDefinition(index) && this.name(index) !== '') found.push(index);
    }
    const indexes = Uint32Array.from(found).sort((a, b) => this.value(a) - this.value(b));
    // reach[i]: the highest end among the first i+1 symbols, so that a walk back knows where to stop.
    const reach = new Float64Array(indexes.length);
    let highest = 0;
    indexes.forEach((index, order) => {
      highest = Math.max(highest, this.value(index) + Math.max(1, this.size(index)));
      reach[order] = highest;
    });
    return { indexes, reach };
  }

  private get count(): number {
    return Math.floor(this.entries.length / SYMBOL_ENTRY_SIZE);
  }

  private isDefinition(index: number): boolean {
    const section = this.entries.readUInt16LE(index * SYMBOL_ENTRY_SIZE + 6);
    if (section === SHN_UNDEF || section === SHN_ABS || section === SHN_COMMON) return false;
    const type = (this.entries[index * SYMBOL_ENTRY_SIZE + 4] ?? 0) & 0xf;
    const typed = type === STT_OBJECT || type === STT_FUNC || type === STT_GNU_IFUNC;
    // Local symbols without a type are marks of the assembler, not data.
    if (!typed && !(type === STT_NOTYPE && this.binding(index) !== STB_LOCAL)) return false;
    return Number.isSafeInteger(this.value(index) + this.size(index)) && this.nameOffset(index) < this.strings.length;
  }

  private scope(index: number): SymbolScope {
    const visibility = (this.entries[index * SYMBOL_ENTRY_SIZE + 5] ?? 0) & 3;
    const visible = visibility === STV_DEFAULT || visibility === STV_PROTECTED;
    return visible && this.binding(index) !== STB_LOCAL ? 'exported' : 'local';
  }

  private isOldVersion(index: number): boolean {
    if (index * 2 + 2 > this.versions.length) return false;
    return (this.versions.readUInt16LE(index * 2) & VERSION_HIDDEN) !== 0;
  }

  private binding(index: number): number {
    return (this.entries[index * SYMBOL_ENTRY_SIZE + 4] ?? 0) >> 4;
  }

  private nameOffset(index: number): number {
    return this.entries.readUInt32LE(index * SYMBOL_ENTRY_SIZE);
  }

  private name(index: number): string {
    return readCString(this.strings, this.nameOffset(index));
  }

  /** As a double: exact below 2^53; larger values are not definitions. */
  private value(index: number): number {
    return readUInt64AsNumber(this.entries, index * SYMBOL_ENTRY_SIZE + 8);
  }

  private size(index: number): number {
    return readUInt64AsNumber(this.entries, index * SYMBOL_ENTRY_SIZE + 16);
  }

  private symbol(index: number): ElfSymbol {
    return { name: this.name(index), value: this.value(index), size: this.size(index) };
  }
}

/** Longer than any mangled name; limits the work on a table without terminators. */
const maxNameLength = 0x10000;

/** Up to the terminating zero, or as far as the table or the longest name goes where it is missing. */
export function readCString(strings: Buffer, offset: number): string {
  const rest = strings.subarray(offset, offset + maxNameLength);
  const end = rest.indexOf(0);
  return rest.toString('utf8', 0, end < 0 ? rest.length : end);
}

/** Rounded above 2^53, where no offset, size or address of a real file lies. */
export function readUInt64AsNumber(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset + 4) * 0x1_0000_0000 + bytes.readUInt32LE(offset);
}

function setFirst(names: Map<string, number>, name: string, index: number): void {
  if (!names.has(name)) names.set(name, index);
}
