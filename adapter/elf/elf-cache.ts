/** Parsed ELF files of this process' life: the ranks of a job share their libraries, which are read once. */
import type { ElfFile } from './elf-file';
import { readElf } from './elf-file';
import { FileSource } from './byte-source';

/** An MPI process has up to 200 libraries; several programs and two MPIs fit. */
const LIMIT = 1000;
const parsed = new Map<string, ElfFile>();

export interface OpenedElf {
  file: ElfFile;
  inode: bigint;
}

/** Throws ElfError, or Node's own error when the file cannot be opened. */
export function openElf(path: string): OpenedElf {
  const source = new FileSource(path);
  try {
    const file = parsed.get(source.identity) ?? readElf(source);
    parsed.delete(source.identity);
    parsed.set(source.identity, file);
    for (const oldest of parsed.keys()) {
      if (parsed.size <= LIMIT) break;
      parsed.delete(oldest);
    }
    return { file, inode: source.inode };
  } finally {
    source.close();
  }
}
