/** Which MPI a program is linked with, by reading its file and those of its libraries. Nothing is run. */
import type { KnownMpis } from '../../plugin-api/mpi/known-mpis';
import { withFile, type DistantBytes, type OpenFile } from '../elf/distant-bytes';
import type { ElfFile } from '../elf/elf-file';
import { PT_LOAD } from '../elf/elf-segment';
import type { ElfSymbol } from '../elf/elf-symbols';
import { findLinkedLibraries, type LinkedLibrary, type LinkerSettings } from '../elf/linked-libraries';

export interface ProgramMpi {
  /** As MpiFacts.name says it: "openmpi". Intel MPI and MVAPICH are MPICH. */
  name: string;
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

/** `path`: of a program whose ELF file is `elf`, behind all symbolic links. */
export async function findMpi(
  path: string,
  elf: ElfFile,
  settings: LinkerSettings,
  mpis: KnownMpis,
): Promise<ProgramLibraries> {
  const { open } = settings;
  const { found, missing } = await findLinkedLibraries(path, elf, settings);
  const defining = found.filter((library) => findSymbol(library.elf, ENTRY) !== undefined);
  // A library of the standard ABI (libmpi_abi) may be a thin one in front of the implementation's own.
  for (const library of [...defining, ...(defining.length > 0 ? found : [])]) {
    const mpi = await identify(library, defining.includes(library), open, mpis);
    if (mpi !== undefined) return { mpi: { ...mpi, library: library.path }, unknownMpi: undefined, missing };
  }
  const [unknown] = defining;
  const inside = unknown === undefined ? await identify({ path, elf }, true, open, mpis) : undefined;
  return { mpi: inside && { ...inside, library: undefined }, unknownMpi: unknown?.path, missing };
}

/** By its symbols, else by its texts. */
async function identify(
  { path, elf }: LinkedLibrary,
  mayLackSymbols: boolean,
  open: OpenFile,
  { all }: KnownMpis,
): Promise<Omit<ProgramMpi, 'library'> | undefined> {
  for (const { name, title = name, programMarks } of all) {
    const symbol = programMarks?.versionSymbols.map((mark) => findSymbol(elf, mark)).find((each) => each !== undefined);
    if (symbol === undefined) continue;
    const text = await withFile(path, open, (file) => readText(file, elf, symbol));
    return { name, description: /^\d+\.\d/.test(text) ? `${title} ${text}` : title };
  }
  if (!mayLackSymbols) return undefined;
  const marks = all.flatMap(({ name, programMarks }) => (programMarks?.texts ?? []).map((each) => ({ ...each, name })));
  const wanted = marks.map(({ text }) => text);
  const texts = await withFile(path, open, (file) => findTexts(file, wanted));
  const found = marks.filter(({ text }) => texts.has(text));
  const [first] = found;
  // A program that contains the marks of several MPIs (a tool about MPI) counts as having none.
  if (first === undefined || found.some(({ name }) => name !== first.name)) return undefined;
  return { name: first.name, description: first.title };
}

function findSymbol(elf: ElfFile, name: string): ElfSymbol | undefined {
  return elf.dynamicSymbols?.find(name, 'exported') ?? elf.fullSymbols?.find(name, 'exported');
}

/** The string that a constant array of the file holds; empty when it holds none. */
async function readText(file: DistantBytes, elf: ElfFile, symbol: ElfSymbol): Promise<string> {
  const segment = elf.segments.find(
    ({ type, address, fileSize }) => type === PT_LOAD && symbol.value >= address && symbol.value < address + fileSize,
  );
  if (segment === undefined) return '';
  const offset = symbol.value - segment.address + segment.offset;
  const bytes = await file.read(offset, Math.min(symbol.size, 64, file.size - offset));
  return bytes.toString('latin1').replace(/\0.*$/s, '');
}

const CHUNK = 1 << 20;
/** A static program is smaller; beyond this comes its debug information. */
const maxSearched = 256 * CHUNK;

/** Which of these the file holds. */
export async function findTexts(file: DistantBytes, texts: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const overlap = Math.max(...texts.map((text) => text.length));
  const end = Math.min(file.size, maxSearched);
  for (let at = 0; at < end; at += CHUNK) {
    const chunk = await file.read(at, Math.min(CHUNK + overlap, end - at));
    for (const text of texts) if (chunk.includes(text, 0, 'latin1')) found.add(text);
  }
  return found;
}
