/** The modules of a live process: its files as they lie on the disk of its host, or what is left of them in its memory. */
import { ElfError } from '../../elf/byte-source';
import { elfOf } from '../../elf/elf-cache';
import type { ElfFile } from '../../elf/elf-file';
import type { HostFile, ProcessMemory } from '../../hosts/host';
import type { HostProcess } from '../../hosts/host-process';
import type { LiveMapping, Mapping } from '../../hosts/process-maps';
import type { LinkedModules } from '../modules/linked-modules';
import { linkMappedModules, readMappedBuildId, readMappedElf } from '../modules/mapped-modules';

/** The mappings of a process. */
export interface Mapped {
  mappings: readonly LiveMapping[];
  /** Path of the program; undefined where it may not be seen. */
  program: string | undefined;
}

/** What was read last, with the lines of the maps that it was read for. */
const lastRead = new WeakMap<HostProcess, { files: string; mapped: Mapped; linked: LinkedModules }>();

/**
 * Most stops find the same files mapped as before: then the modules are the same, too. `whenMapped` gets the mappings while the
 * files are being opened, the same object as long as the files are the same. Rejects with ProcessAccessError.
 */
export async function liveModulesOf(
  process: HostProcess,
  memory: ProcessMemory,
  whenMapped: (mapped: Mapped) => void = () => undefined,
): Promise<LinkedModules> {
  const [maps, program] = await Promise.all([process.mapsText(), process.program()]);
  const files = mappedFiles(maps);
  const last = lastRead.get(process);
  if (last?.files === files) {
    whenMapped(last.mapped);
    return last.linked;
  }
  const mapped = { mappings: process.mappingsIn(maps), program };
  const reading = linkMappedModules(mapped.mappings, memory, {
    isExecutable: ({ path }) => path === program,
    open: (ofFile, isExecutable) => openMapped(process, memory, ofFile, isExecutable),
  });
  whenMapped(mapped);
  const linked = await reading;
  lastRead.set(process, { files, mapped, linked });
  return linked;
}

/** The heap and other anonymous memory come and go. */
function mappedFiles(maps: string): string {
  return maps
    .split('\n')
    .filter((line) => line.includes('/'))
    .join('\n');
}

/**
 * The file that is mapped, not the one that now has its name: through the process' own root directory (containers)
 * if it is the same, else through the mapping itself (which needs privileges), else as far as it is in memory.
 */
async function openMapped(
  process: HostProcess,
  memory: ProcessMemory,
  mappings: readonly Mapping[],
  isExecutable: boolean,
): Promise<ElfFile | undefined> {
  const [first] = mappings;
  if (first === undefined) return undefined;
  // On overlay file systems the mapping may show another inode than the file.
  const isSame = async ({ inode, elf: { buildId } }: OpenedElf): Promise<boolean> => {
    if (inode === first.inode) return true;
    if (buildId === undefined) return false;
    // It stands in the first page; nothing else that is there is needed.
    memory.expect?.([{ start: first.start, length: 1 }]);
    return buildId === (await orNone(readMappedBuildId(mappings, memory)));
  };

  const named = await orNone(readFile(isExecutable ? process.openProgram() : process.openNamed(first.path)));
  if (named !== undefined && (isExecutable || (await isSame(named)))) return named.elf;
  return (await orNone(readFile(process.openMapped(first))))?.elf ?? orNone(readMappedElf(mappings, memory));
}

interface OpenedElf {
  inode: bigint;
  elf: ElfFile;
}

async function readFile(opening: Promise<HostFile>): Promise<OpenedElf> {
  const file = await opening;
  try {
    return { inode: file.inode, elf: await elfOf(file) };
  } finally {
    file.close();
  }
}

/** undefined where the file is no ELF file, broken, gone or not accessible. */
async function orNone<T>(opened: Promise<T>): Promise<T | undefined> {
  try {
    return await opened;
  } catch (error) {
    if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
