/** The dynamic linker's list of loaded modules, in load order, read from the memory of the process. */
import { QueryError } from '../../../plugin-api/result';
import { readUInt64AsNumber } from '../../elf/elf-symbols';
import type { LinkedModule } from './linked-modules';
import type { MemoryReader } from '../memory-reader';

const DT_DEBUG = 21;
const PT_DYNAMIC = 2;
const ENTRY_SIZE = 16;
/** Open MPI with all its components has about 200. */
const maxModules = 10_000;

/** A module as the dynamic linker knows it. */
export interface LinkMapEntry {
  /** As it was opened: "" for the executable, and where the name cannot be read. */
  name: string;
  /** Its address. */
  dynamicSection: bigint;
}

/** As readLoadOrder, with the names. */
export async function readLinkMap(executable: LinkedModule, memory: MemoryReader): Promise<LinkMapEntry[]> {
  const entries: LinkMapEntry[] = [];
  for await (const { name, dynamicSection } of walkLinkMap(executable, memory))
    entries.push({ name: await readName(memory, name), dynamicSection });
  return entries;
}

/**
 * The dynamic sections of the modules in load order. Empty in a static executable and before the dynamic linker has run; it ends
 * early where the list is broken.
 */
export async function readLoadOrder(executable: LinkedModule, memory: MemoryReader): Promise<bigint[]> {
  const sections: bigint[] = [];
  for await (const { dynamicSection } of walkLinkMap(executable, memory)) sections.push(dynamicSection);
  return sections;
}

/** Where a module's dynamic section is; undefined: it has none. */
export function dynamicSectionOf({ module, elf }: LinkedModule): { address: bigint; size: number } | undefined {
  const dynamic = elf.segments.find((segment) => segment.type === PT_DYNAMIC);
  return dynamic && { address: module.bias + BigInt(dynamic.address), size: dynamic.size };
}

async function* walkLinkMap(
  executable: LinkedModule,
  memory: MemoryReader,
): AsyncGenerator<{ name: bigint; dynamicSection: bigint }> {
  const section = dynamicSectionOf(executable);
  if (section === undefined) return;
  try {
    const debug = findDebugPointer(Buffer.from(await memory.read(section.address, section.size)));
    if (debug === 0n) return;
    // struct r_debug { int version; struct link_map *map; … }
    let next = await readPointer(memory, debug + 8n);
    for (let count = 0; next !== 0n && count < maxModules; count++) {
      // struct link_map { address bias; char *name; dynamic section *ld; link_map *next, *previous; … }
      const entry = Buffer.from(await memory.read(next, 32));
      yield { name: entry.readBigUInt64LE(8), dynamicSection: entry.readBigUInt64LE(16) };
      next = entry.readBigUInt64LE(24);
    }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
  }
}

/** PATH_MAX */
const maxNameLength = 4096;

async function readName(memory: MemoryReader, address: bigint): Promise<string> {
  // The page behind the name may be unreadable, so not more than to the end of its own is read at once.
  for (let length = 0; length < maxNameLength;) {
    length += 256 - (Number(address + BigInt(length)) % 256);
    try {
      const bytes = Buffer.from(await memory.read(address, length));
      const end = bytes.indexOf(0);
      if (end >= 0) return bytes.toString('utf8', 0, end);
    } catch (error) {
      if (error instanceof QueryError) return '';
      throw error;
    }
  }
  return '';
}

function findDebugPointer(section: Buffer): bigint {
  for (let at = 0; at + ENTRY_SIZE <= section.length; at += ENTRY_SIZE) {
    const tag = readUInt64AsNumber(section, at);
    if (tag === 0) break;
    if (tag === DT_DEBUG) return section.readBigUInt64LE(at + 8);
  }
  return 0n;
}

async function readPointer(memory: MemoryReader, address: bigint): Promise<bigint> {
  return Buffer.from(await memory.read(address, 8)).readBigUInt64LE(0);
}
