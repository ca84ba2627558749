/** Which file of a process defines a name: of the ranks of a job, with the same libraries in the same order, it is the same one. */
import type { ElfFile } from '../../elf/elf-file';
import type { ElfSymbol } from '../../elf/elf-symbols';

export interface NameInFile {
  /** The index of the file. */
  index: number;
  symbol: ElfSymbol;
}

/** Jobs that are debugged at once have few programs, and each has a few orders at most. */
const maxLists = 32;
const lists: NamesInFiles[] = [];

export function namesIn(files: readonly ElfFile[]): NamesInFiles {
  const at = lists.findIndex((each) => each.isOf(files));
  const [names] = at < 0 ? [new NamesInFiles(files)] : lists.splice(at, 1);
  // Least recently used lists are dropped first.
  lists.unshift(names!);
  lists.length = Math.min(lists.length, maxLists);
  return names!;
}

export class NamesInFiles {
  /** Decoders ask for the same few names, among 200 files, at each stop. */
  private readonly found = new Map<string, NameInFile | undefined>();

  constructor(private readonly files: readonly ElfFile[]) {}

  isOf(files: readonly ElfFile[]): boolean {
    return files.length === this.files.length && files.every((file, index) => file === this.files[index]);
  }

  /** See firstDefined. */
  find(name: string): NameInFile | undefined {
    if (!this.found.has(name)) this.found.set(name, firstDefined(this.files, name));
    return this.found.get(name);
  }
}

/**
 * The dynamic linker's choice first: the first file in order that exports the name, so that the executable's copy
 * (copy relocation) is before the library's. Then what only .symtab has: global, and last what is static or hidden.
 */
export function firstDefined(files: readonly (ElfFile | undefined)[], name: string): NameInFile | undefined {
  return (
    first(files, (elf) => elf.dynamicSymbols?.find(name, 'exported')) ??
    first(files, (elf) => elf.fullSymbols?.find(name, 'exported')) ??
    first(files, (elf) => elf.fullSymbols?.find(name, 'local'))
  );
}

function first(
  files: readonly (ElfFile | undefined)[],
  find: (elf: ElfFile) => ElfSymbol | undefined,
): NameInFile | undefined {
  for (const [index, elf] of files.entries()) {
    const symbol = elf && find(elf);
    if (symbol !== undefined) return { index, symbol };
  }
  return undefined;
}
