/** The modules of one process with their symbols: which definition a name means, and what lies at an address. */
import type { Module, Symbol } from '../../../plugin-api/image';
import type { ElfFile } from '../../elf/elf-file';
import type { ElfSymbol, SymbolTable } from '../../elf/elf-symbols';
import { firstDefined, namesIn, type NamesInFiles } from './names-in-files';

export interface LinkedModule {
  module: Module;
  elf: ElfFile;
}

/** `modules`: the executable first, then the libraries in load order. */
export class LinkedModules {
  readonly all: readonly LinkedModule[];
  readonly modules: readonly Module[];
  private readonly names: NamesInFiles;

  constructor(all: readonly LinkedModule[]) {
    this.all = all;
    this.modules = all.map(({ module }) => module);
    this.names = namesIn(all.map(({ elf }) => elf));
  }

  /**
   * The dynamic linker's choice first: the first module in order that exports the name, so that the executable's copy
   * (copy relocation) is before the library's. Then what only .symtab has: global, and last what is static or hidden.
   */
  find(name: string, module?: Module): Symbol | undefined {
    const found =
      module === undefined
        ? this.names.find(name)
        : firstDefined(
            this.all.map(({ elf, module: each }) => (isSame(each, module) ? elf : undefined)),
            name,
          );
    return found && toSymbol(found.symbol, this.all[found.index]!.module);
  }

  at(address: bigint): Symbol | undefined {
    const linked = this.all.find(({ module }) => module.segments.some((segment) => contains(segment, address)));
    if (linked === undefined) return undefined;
    const value = Number(address - linked.module.bias);
    const found = innermost(symbolIn(linked.elf.fullSymbols, value), symbolIn(linked.elf.dynamicSymbols, value));
    return found && toSymbol(found, linked.module);
  }
}

/** By value: a module of an earlier list of the same process is still the same one. */
function isSame(a: Module, b: Module): boolean {
  return a.path === b.path && a.bias === b.bias;
}

function symbolIn(table: SymbolTable | undefined, value: number): ElfSymbol | undefined {
  return table?.at(value);
}

function innermost(a: ElfSymbol | undefined, b: ElfSymbol | undefined): ElfSymbol | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.value > a.value ? b : a;
}

function contains(segment: { address: bigint; size: number }, address: bigint): boolean {
  return address >= segment.address && address < segment.address + BigInt(segment.size);
}

function toSymbol(found: ElfSymbol, module: Module): Symbol {
  return { name: found.name, address: module.bias + BigInt(found.value), size: found.size, module };
}
