/** Which MPI a program is linked with, by reading its file and those of its libraries. Nothing is run. */
import { closeSync, constants, readSync } from 'node:fs';
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { FileSource, openDescriptor } from '../elf/byte-source';
import type { ElfFile } from '../elf/elf-file';
import { PT_LOAD } from '../elf/elf-segment';
import type { ElfSymbol } from '../elf/elf-symbols';
import { findLinkedLibraries } from '../elf/linked-libraries';

export interface ProgramMpi {
  /** The name of the plugin: its launcher starts the programs of its own family only. MPICH's has Intel MPI and MVAPICH in it. */
  family: string;
  /** "Open MPI 4.1.4", "MPICH 4.0.2", or without a version where it cannot be told. */
  description: string;
  /** undefined: inside the program itself. */
  library: string | undefined;
}

/** The profiling interface is in the MPI library alone: tools that wrap MPI_Init do not define it. */
const ENTRY = 'PMPI_Init';

export interface ProgramLibraries {
  mpi: ProgramMpi | undefined;
  /** A library with MPI's functions but none of the marks that we know. */
  unknownMpi: string | undefined;
  /** Needed libraries that are nowhere. */
  missing: readonly { name: string; neededBy: string }[];
}

/** `path`: of a program whose ELF file is `elf`. */
export function findMpi(
  path: string,
  elf: ElfFile,
  where: { libraryPath: string | undefined; cwd: string },
  mpis: KnownMpis,
): ProgramLibraries {
  const { found, missing } = findLinkedLibraries(path, elf, where);
  const defining = found.filter((library) => findSymbol(library.elf, ENTRY) !== undefined);
  // A library of the standard ABI (libmpi_abi) may be a thin one in front of the implementation's own.
  for (const library of [...defining, ...(defining.length > 0 ? found : [])]) {
    const mpi = identify(library.path, library.elf, defining.includes(library), mpis);
    if (mpi !== undefined) return { mpi: { ...mpi, library: library.path }, unknownMpi: undefined, missing };
  }
  const [unknown] = defining;
  const inside = unknown === undefined ? identify(path, elf, true, mpis) : undefined;
  return { mpi: inside && { ...inside, library: undefined }, unknownMpi: unknown?.path, missing };
}

/** By its symbols, else by its texts. */
function identify(
  path: string,
  elf: ElfFile,
  mayLackSymbols: boolean,
  { all }: KnownMpis,
): Omit<ProgramMpi, 'library'> | undefined {
  for (const { name: family, title = family, programMarks } of all) {
    const symbol = programMarks?.versionSymbols.map((mark) => findSymbol(elf, mark)).find((each) => each !== undefined);
    if (symbol === undefined) continue;
    const text = readText(path, elf, symbol);
    return { family, description: /^\d+\.\d/.test(text) ? `${title} ${text}` : title };
  }
  if (!mayLackSymbols) return undefined;
  const marks = all.flatMap(({ name: family, programMarks }) =>
    (programMarks?.texts ?? []).map((each) => ({ ...each, family })),
  );
  const texts = findTexts(
    path,
    marks.map(({ text }) => text),
  );
  const found = marks.filter(({ text }) => texts.has(text));
  const [first] = found;
  // A program that contains the marks of several MPIs (a tool about MPI) counts as having none.
  if (first === undefined || found.some(({ family }) => family !== first.family)) return undefined;
  return { family: first.family, description: first.title };
}

function findSymbol(elf: ElfFile, name: string): ElfSymbol | undefined {
  return elf.dynamicSymbols?.find(name, 'exported') ?? elf.fullSymbols?.find(name, 'exported');
}

/** The string that a constant array of the file holds; empty when it holds none. */
function readText(path: string, elf: ElfFile, symbol: ElfSymbol): string {
  const segment = elf.segments.find(
    ({ type, address, fileSize }) => type === PT_LOAD && symbol.value >= address && symbol.value < address + fileSize,
  );
  if (segment === undefined) return '';
  const source = new FileSource(path);
  try {
    const offset = symbol.value - segment.address + segment.offset;
    const bytes = source.read(offset, Math.min(symbol.size, 64, source.size - offset));
    return bytes.toString('latin1').replace(/\0.*$/s, '');
  } finally {
    source.close();
  }
}

const CHUNK = 1 << 20;
/** A static program is smaller; beyond this comes its debug information. */
const LONGEST_SEARCH = 256 * CHUNK;

/** Which of these the file holds. Throws as FileSource does when it cannot be opened. */
export function findTexts(path: string, texts: readonly string[]): Set<string> {
  const found = new Set<string>();
  const overlap = Math.max(...texts.map((text) => text.length));
  const bytes = Buffer.alloc(CHUNK + overlap);
  const descriptor = openDescriptor(path, constants.O_RDONLY);
  try {
    for (let at = 0; at < LONGEST_SEARCH; at += CHUNK) {
      const count = readSync(descriptor, bytes, 0, bytes.length, at);
      const chunk = bytes.subarray(0, count);
      for (const text of texts) if (chunk.includes(text, 0, 'latin1')) found.add(text);
      if (count < bytes.length) break;
    }
    return found;
  } finally {
    closeSync(descriptor);
  }
}
