/**
 * Where the bytes of a mapped file can be read: its name may mean another file by now. Decided once, for our own readers and for
 * gdb.
 */
import { ElfError } from '../../elf/byte-source';
import { readDistant } from '../../elf/distant-bytes';
import { elfOf } from '../../elf/elf-cache';
import { Turns } from '../../hosts/turns';
import type { ElfFile } from '../../elf/elf-file';
import { PT_LOAD } from '../../elf/elf-segment';
import { readLinkedWords } from '../../elf/linked-words';
import type { HostFile, ProcessMemory } from '../../hosts/host';
import type { HostProcess } from '../../hosts/host-process';
import type { LiveMapping } from '../../hosts/process-maps';
import { findBiases, readMappedBuildId, readMappedElf } from '../modules/mapped-modules';
import { linkageOf } from '../modules/overwritten';

/** What has happened to a file since a process loaded it: another one has its name, none has it, or its content is another one. */
export type FileChange = 'replaced' | 'deleted' | 'overwritten';

export interface MappedFile {
  /** As the kernel names it for the process. */
  readonly path: string;
  readonly mappings: readonly LiveMapping[];
  readonly isExecutable: boolean;
  /** What leads to its bytes: its name, the kernel's link to what is mapped, or nothing any more. */
  readonly readableBy: 'name' | 'link' | undefined;
  readonly change: FileChange | undefined;
  /** At least what is left of it in memory; undefined: it is no ELF file, or nothing of it is left. */
  readonly elf: ElfFile | undefined;
}

/** `mappings`: all of one file. Rejects with ProcessAccessError. */
export async function findMappedFile(
  process: HostProcess,
  memory: ProcessMemory,
  mappings: readonly LiveMapping[],
  isExecutable: boolean,
): Promise<MappedFile> {
  const { path } = mappings[0]!;
  const common = { path, mappings, isExecutable };
  const contentOf = (readableBy: 'name' | 'link') => (file: HostFile, elf: ElfFile | undefined) =>
    unlessOverwritten(process, memory, mappings, file, elf, readableBy);
  let change: FileChange = 'deleted';
  const named = await look(
    () => process.openNamed(path),
    async (file, elf) => {
      if (await isMapped(file.inode, elf?.buildId, mappings, memory)) return contentOf('name')(file, elf);
      change = 'replaced';
      return undefined;
    },
  );
  if (named !== undefined) return { ...common, change: undefined, ...named };
  const openLink = () => (isExecutable ? process.openProgram() : process.openMapped(mappings[0]!));
  const kept = await look(openLink, contentOf('link'));
  return {
    ...common,
    change,
    ...(kept ?? { readableBy: undefined, elf: await orNone(readMappedElf(mappings, memory, { isWhole: true })) }),
  };
}

/** Whether the name, in the root directory of the process, leads to the file. */
export async function isFileOfName(
  process: HostProcess,
  memory: ProcessMemory,
  name: string,
  { path, mappings, readableBy }: MappedFile,
): Promise<boolean> {
  // What was overwritten is there, and still is not the file.
  if (readableBy !== 'name') return false;
  if (name === path) return true;
  const found = await look(
    () => process.openNamed(name),
    (file, elf) => isMapped(file.inode, elf?.buildId, mappings, memory),
  );
  return found === true;
}

/** Limits the looks of all processes: a file is open while it is looked at, and a user may have only so many open. */
const looks = new Turns(32);

/**
 * undefined where there is no such file, or it is not accessible. `use` gets no `elf` where it is none, or a broken one. Rejects with
 * ShortageError.
 */
function look<T>(
  open: () => Promise<HostFile>,
  use: (file: HostFile, elf: ElfFile | undefined) => Promise<T>,
): Promise<T | undefined> {
  return orNone(
    looks.take(async () => {
      const file = await open();
      try {
        return await use(file, await orNone(elfOf(file)));
      } finally {
        file.close();
      }
    }),
  );
}

/**
 * By its inode or its build-id: on overlay file systems the mapping may show another inode than the file, and who installs a
 * package again gets the same file once more.
 */
async function isMapped(
  inode: bigint,
  buildId: string | undefined,
  mappings: readonly LiveMapping[],
  memory: ProcessMemory,
): Promise<boolean> {
  const [first] = mappings;
  if (inode === first?.inode) return true;
  if (buildId === undefined || first === undefined) return false;
  // It stands in the first page; nothing else that is there is needed.
  memory.expect?.([{ start: first.start, length: 1 }]);
  return buildId === (await orNone(readMappedBuildId(mappings, memory)));
}

/** What was written into it is in its mappings, too: then nothing of the file that was loaded is left. */
async function unlessOverwritten(
  process: HostProcess,
  memory: ProcessMemory,
  mappings: readonly LiveMapping[],
  file: HostFile,
  elf: ElfFile | undefined,
  readableBy: 'name' | 'link',
): Promise<Pick<MappedFile, 'readableBy' | 'elf'> & { change?: FileChange }> {
  const found = { readableBy, elf };
  const age = file.changed - (await process.startedAt());
  if (age < -clockDifference) return found;
  const overwritten = { readableBy: undefined, elf: undefined, change: 'overwritten' } as const;
  const [bias] = elf === undefined ? [] : findBiases(elf, mappings);
  // What it says of itself is not what is mapped.
  if (elf === undefined || bias === undefined) return overwritten;
  const words = await readDistant(file, (source) => readLinkedWords(source, elf));
  const loads = elf.segments.filter(({ type }) => type === PT_LOAD);
  const end = Math.max(...loads.map(({ address, size }) => address + size));
  const linkage = await linkageOf(words, { bias, end }, memory);
  // An unchanged file is not linked either while the process starts.
  const isLost = linkage === 'unlinked' && age >= -1;
  return linkage === 'another' || isLost ? overwritten : found;
}

/** Between the clocks of a host and of the file servers that it uses, in seconds. */
const clockDifference = 600;

/** undefined where the file is no ELF file, broken, gone or not accessible. */
async function orNone<T>(opened: Promise<T>): Promise<T | undefined> {
  try {
    return await opened;
  } catch (error) {
    if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
