/** The modules of a live process: its files as they lie on the disk, or what is left of them in its memory. */
import { readlinkSync } from 'node:fs';
import { ElfError } from '../../elf/byte-source';
import { openElf } from '../../elf/elf-cache';
import type { ElfFile } from '../../elf/elf-file';
import type { LinkedModules } from '../modules/linked-modules';
import { linkMappedModules, readMappedElf } from '../modules/mapped-modules';
import type { MemoryReader } from '../memory-reader';
import type { Mapping } from '../../hosts/process-maps';

export function readLiveModules(pid: number, maps: readonly Mapping[], memory: MemoryReader): LinkedModules {
  const executable = executablePath(pid);
  return linkMappedModules(maps, memory, {
    isExecutable: ({ path }) => path === executable,
    open: (mappings, isExecutable) => openMapped(pid, memory, mappings, isExecutable),
  });
}

/** undefined where it may not be seen. */
function executablePath(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
}

/**
 * The file that is mapped, not the one that now has its name: through the process' own root directory (containers)
 * if it is the same, else through the mapping itself (which needs privileges), else as far as it is in memory.
 */
function openMapped(
  pid: number,
  memory: MemoryReader,
  mappings: readonly Mapping[],
  isExecutable: boolean,
): ElfFile | undefined {
  const [first] = mappings;
  if (first === undefined) return undefined;
  const inMemory = lazily(() => tryElf(() => readMappedElf(mappings, memory)));
  const isSame = (opened: ReturnType<typeof openElf>): boolean =>
    opened.inode === first.inode || (opened.file.buildId !== undefined && opened.file.buildId === inMemory()?.buildId);

  const named = tryElf(() => openElf(isExecutable ? `/proc/${pid}/exe` : `/proc/${pid}/root${first.path}`));
  if (named !== undefined && (isExecutable || isSame(named))) return named.file;
  const range = `${first.start.toString(16)}-${first.end.toString(16)}`;
  return tryElf(() => openElf(`/proc/${pid}/map_files/${range}`))?.file ?? inMemory();
}

/** undefined where the file is no ELF file, broken, gone or not accessible. */
function tryElf<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
