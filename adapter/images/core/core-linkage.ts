/** Whether a process has loaded a file as it is now: somebody may have written into it while it ran, which its core does not tell. */
import { FaultError } from '../../../plugin-api/result';
import { ElfError, FileSource } from '../../elf/byte-source';
import type { ElfFile } from '../../elf/elf-file';
import { PT_LOAD } from '../../elf/elf-segment';
import { readLinkedWords, type LinkedWords } from '../../elf/linked-words';
import type { Mapping } from '../../hosts/process-maps';
import type { MemoryReader } from '../memory-reader';
import { findBiases } from '../modules/mapped-modules';
import { linkageOf } from '../modules/overwritten';

/** The cores of a job name the same files. */
const known = new WeakMap<ElfFile, LinkedWords | undefined>();

export interface LoadedParts {
  /** All of them that this file has. */
  mappings: readonly Mapping[];
  /** What the core file itself holds. */
  dumped: MemoryReader;
  /** Dynamic sections of all that the dynamic linker has loaded and linked. */
  listed: readonly bigint[];
  /** Whether the core file holds every page that the process has written to. */
  isWhole: boolean;
}

/** False only where that is certain. `here`: the file of `elf`. */
export async function isLoadedAsItIs(
  { here, elf }: { here: string; elf: ElfFile },
  { mappings, dumped, listed, isWhole }: LoadedParts,
): Promise<boolean> {
  const biases = findBiases(elf, mappings);
  if (biases.length === 0) return false;
  const words = wordsOf(here, elf);
  if (words?.dynamic === undefined) return true;
  const sections = biases.map((bias) => bias + BigInt(words.dynamic!.address));
  const own = listed.filter((at) => mappings.some(({ start, end }) => start <= at && at < end));
  if (!own.every((at) => sections.includes(at))) return false;
  const loads = elf.segments.filter(({ type }) => type === PT_LOAD);
  const end = Math.max(...loads.map(({ address, size }) => address + size));
  for (const [index, bias] of biases.entries()) {
    // The dynamic linker has written into the pages of what it lists.
    const isListed = own.includes(sections[index]!);
    if (await isDumped(words, bias, dumped)) {
      const linkage = await linkageOf(words, { bias, end }, dumped);
      if (linkage === 'another' || (linkage === 'unlinked' && isListed)) return false;
    } else if (isListed && isWhole && words.addresses.length > 0) return false;
  }
  return true;
}

async function isDumped({ dynamic, sealed }: LinkedWords, bias: bigint, dumped: MemoryReader): Promise<boolean> {
  try {
    if (dynamic !== undefined) await dumped.read(bias + BigInt(dynamic.address), dynamic.bytes.length);
    if (sealed !== undefined) await dumped.read(bias + BigInt(sealed.start), sealed.end - sealed.start);
    return true;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}

/** Undefined: it cannot be read, or is broken. */
export function wordsOf(file: string, elf: ElfFile): LinkedWords | undefined {
  if (known.has(elf)) return known.get(elf);
  const words = read(file, elf);
  known.set(elf, words);
  return words;
}

function read(file: string, elf: ElfFile): LinkedWords | undefined {
  try {
    const source = new FileSource(file);
    try {
      return readLinkedWords(source, elf);
    } finally {
      source.close();
    }
  } catch (error) {
    if (error instanceof ElfError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
