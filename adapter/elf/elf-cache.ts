/** A cache of parsed ELF files: the ranks of a job share their libraries, which are read once. */
import { FileSource } from './byte-source';
import { DistantReader, type DistantFile } from './distant-bytes';
import { readBuildIdAlone, readElf, type ElfFile } from './elf-file';

/** An MPI process has up to 200 libraries; several programs and two MPIs on a few hosts fit. */
const LIMIT = 4000;
/**
 * By the identity of the file, and by its build-id, size and time, which a package gives it on every host: who strips or
 * patches a file leaves the build-id as it is.
 */
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

/**
 * The same of an open file of any host: the hosts of a job have the same libraries, of which one is read. Rejects with ElfError,
 * or what reading rejects with.
 */
export async function elfOf(file: DistantFile): Promise<ElfFile> {
  return once(file.identity, async () => {
    const reader = new DistantReader(file);
    const buildId = await reader.read(readBuildIdAlone);
    const content = buildId === undefined ? undefined : `${buildId} ${file.size} ${file.modified}`;
    return content === undefined ? reader.read(readElf) : once(content, () => reader.read(readElf));
  });
}

/** Only the first who asks reads. */
async function once(key: string, read: () => Promise<ElfFile>): Promise<ElfFile> {
  const known = parsed.get(key);
  if (known !== undefined) return keep(key, known);
  let reading = underWay.get(key);
  if (reading === undefined) {
    reading = read().finally(() => underWay.delete(key));
    underWay.set(key, reading);
  }
  return keep(key, await reading);
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
