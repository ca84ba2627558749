/** The modules of a process, from its mappings, their files and the dynamic linker's own list. */
import type { Module, Segment } from '../../../plugin-api/image';
import { ElfError } from '../../elf/byte-source';
import { readDistant } from '../../elf/distant-bytes';
import type { ElfFile } from '../../elf/elf-file';
import { isElf, readBuildIdAlone, readElf } from '../../elf/elf-file';
import { PT_LOAD } from '../../elf/elf-segment';
import { dynamicSectionOf, readLoadOrder } from './link-map';
import type { LinkedModule } from './linked-modules';
import { LinkedModules } from './linked-modules';
import { MappedSource } from './mapped-source';
import type { MemoryReader } from '../memory-reader';
import type { Mapping } from '../../hosts/process-maps';

/** How the files of a process are found; where it runs decides. */
export interface MappedFiles<M extends Mapping> {
  /** The path decides: on overlay file systems the mappings may show another inode than the file. */
  isExecutable(mapping: M): boolean;
  /** The file that was mapped; undefined where it is no ELF file. */
  open(mappings: readonly M[], isExecutable: boolean): Promise<ElfFile | undefined>;
}

/** A mapped file that is no ELF file, or a broken one, is no module. */
export async function linkMappedModules<M extends Mapping>(
  maps: readonly M[],
  memory: MemoryReader,
  files: MappedFiles<M>,
): Promise<LinkedModules> {
  const linked = await Promise.all(
    groupByFile(maps).map(async (mappings): Promise<LinkedModule[]> => {
      const isExecutable = mappings.some((mapping) => files.isExecutable(mapping));
      // Data files and ELF files that the process only looks at have no executable mapping.
      if (!isExecutable && !mappings.some((mapping) => mapping.executable)) return [];
      const elf = await files.open(mappings, isExecutable);
      if (elf === undefined) return [];
      const path = mappings[0]?.path ?? '';
      return findBiases(elf, mappings).map((bias) => ({ elf, module: describe(elf, bias, path, isExecutable) }));
    }),
  );
  return new LinkedModules(await inLoadOrder(linked.flat(), memory));
}

/** As much of the file as is in memory. `isWhole`: not without all that a loaded file has. Rejects with ElfError. */
export function readMappedElf(
  mappings: readonly Mapping[],
  memory: MemoryReader,
  { isWhole }: { isWhole: boolean },
): Promise<ElfFile> {
  const start = mappings.find((mapping) => mapping.offset === 0);
  return readDistant(new MappedSource(mappings, memory), (source) => {
    if (start === undefined || !isElf(source)) throw new ElfError('it is not an ELF file');
    return readElf(source, { bias: start.start, isWhole });
  });
}

/** Its build-id alone. Rejects with ElfError. */
export function readMappedBuildId(mappings: readonly Mapping[], memory: MemoryReader): Promise<string | undefined> {
  return readDistant(new MappedSource(mappings, memory), readBuildIdAlone);
}

function groupByFile<M extends Mapping>(mappings: readonly M[]): M[][] {
  const groups = new Map<string, M[]>();
  for (const mapping of mappings) {
    if (mapping.file === undefined || isOfDevice(mapping.path)) continue;
    const group = groups.get(mapping.file);
    if (group === undefined) groups.set(mapping.file, [mapping]);
    else group.push(mapping);
  }
  return [...groups.values()];
}

/** The files of shared memory lie there too, and may be libraries. */
function isOfDevice(path: string): boolean {
  return path.startsWith('/dev/') && !path.startsWith('/dev/shm/');
}

/** Where it lies in memory. Usually one; a library loaded into a second namespace (dlmopen) is there twice. */
export function findBiases(elf: ElfFile, mappings: readonly Mapping[]): bigint[] {
  const loads = elf.segments.filter((segment) => segment.type === PT_LOAD && segment.fileSize > 0);
  const [first, ...others] = loads;
  if (first === undefined) return [];
  const biases: bigint[] = [];
  for (const mapping of mappings) {
    // The first segment lies at a whole page of the file; what precedes it in that page is mapped too.
    const lead = first.offset - mapping.offset;
    if (lead < 0 || lead >= Number(mapping.end - mapping.start)) continue;
    const bias = mapping.start + BigInt(lead) - BigInt(first.address);
    // A file that is also mapped as a whole, to be looked at, has its other segments elsewhere.
    const fits = others.every((segment) => {
      const address = bias + BigInt(segment.address);
      return mappings.some(
        (other) =>
          address >= other.start &&
          address < other.end &&
          Number(address - other.start) + other.offset === segment.offset,
      );
    });
    if (fits && bias >= 0n && !biases.includes(bias)) biases.push(bias);
  }
  return biases;
}

function describe(elf: ElfFile, bias: bigint, path: string, isExecutable: boolean): Module {
  const segments = elf.segments
    .filter((segment) => segment.type === PT_LOAD)
    .map((segment): Segment => {
      const { size, fileSize, writable, executable } = segment;
      return { address: bias + BigInt(segment.address), size, fileSize, writable, executable };
    });
  return { path, bias, buildId: elf.buildId, isExecutable, segments };
}

/** The dynamic linker's list; what is not in it (other namespaces, or before it has run) follows by address. */
async function inLoadOrder(linked: readonly LinkedModule[], memory: MemoryReader): Promise<LinkedModule[]> {
  const executable = linked.find(({ module }) => module.isExecutable);
  const sections = executable === undefined ? [] : await readLoadOrder(executable, memory);
  const order = new Map(sections.map((section, index) => [section, index]));
  const orderOf = (each: LinkedModule): number => {
    if (each.module.isExecutable) return -1;
    const section = dynamicSectionOf(each);
    return (section && order.get(section.address)) ?? sections.length;
  };
  return linked
    .map((each) => ({ each, order: orderOf(each) }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}
