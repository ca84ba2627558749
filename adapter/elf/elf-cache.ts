/** A cache of parsed ELF files: the ranks of a job share their libraries, which are read once. */
import { FileSource } from './byte-source';
import { readDistant, type DistantBytes } from './distant-bytes';
import type { ElfFile } from './elf-file';
import { readElf } from './elf-file';

/** An MPI process has up to 200 libraries; several programs and two MPIs fit. */
const LIMIT = 1000;
/** By the identity of the file. */
const parsed = new Map<string, ElfFile>();
const underWay = new Map<string, Promise<ElfFile>>();

/** Throws ElfError, or Node's own error when the file cannot be opened. */
export function openElf(path: string): ElfFile {
  const source = new FileSource(path);
  try {
    return keep(source.identity, parsed.get(source.identity) ?? readElf(source));
  } finally {
    source.close();
  }
}

/** The same of an open file of any host. Rejects with ElfError, or what reading rejects with. */
export async function elfOf(file: DistantBytes & { readonly identity: string }): Promise<ElfFile> {
  const { identity } = file;
  const known = parsed.get(identity);
  if (known !== undefined) return keep(identity, known);
  let reading = underWay.get(identity);
  if (reading === undefined) {
    reading = readDistant(file, readElf).finally(() => underWay.delete(identity));
    underWay.set(identity, reading);
  }
  return keep(identity, await reading);
}

/** Least recently used files are dropped first. */
function keep(identity: string, file: ElfFile): ElfFile {
  parsed.delete(identity);
  parsed.set(identity, file);
  for (const oldest of parsed.keys()) {
    if (parsed.size <= LIMIT) break;
    parsed.delete(oldest);
  }
  return file;
}
