/** Where the program makes its calls: function, file and line of the addresses that they return to. */
import type { Module, ProcessImage } from '../../../plugin-api/image';
import { lineOfCall } from '../../../plugin-api/fortran/noted-calls';
import { sourceFormIn } from '../../../plugin-api/fortran/source-form';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import { LibraryCode } from '../../../plugin-api/mpi/library-code';
import type { Ompt } from '../../../plugin-api/overlays/ompt-records';
import type { ThreadCalls } from '../../../plugin-api/overlays/records';
import { guard } from '../../../plugin-api/result';
import { openElf } from '../../elf/elf-cache';
import { specialNeighbour } from '../../elf/special-neighbours';
import { UnusableGdbError } from '../../gdb/unusable-gdb';
import { sourceLines, type SourceLine } from '../../gdb/source-lines';
import { isNewerThan, sourceText } from '../../job/source-text';
import type { HostProcess } from '../../hosts/host-process';

/** By build-id: for each address of the file, as it was linked, its line; undefined: it has none. */
const knownLines = new Map<string, Map<bigint, SourceLine | undefined>>();

/** How lines are read. */
export interface LineReader {
  /** Reads the files of the program; no process is touched. */
  gdb: string;
  /** Whose lines are passed over for those that they are inlined in. */
  libraries?: LibraryCode;
  /** Whose files they are; undefined: of core files. It may have ended. */
  process?: HostProcess | undefined;
}

/** A place of a process, which may have ended since. */
export interface Place {
  code: CodeRef;
  module: Module | undefined;
  /** As the module was linked. */
  address: bigint;
}

/** The same calls with what is known of each place. */
export async function withPlaces(
  image: ProcessImage,
  threads: readonly ThreadCalls[],
  reader: LineReader,
): Promise<ThreadCalls[]> {
  const addresses = threads.flatMap(({ calls }) => calls.flatMap(({ code }) => code?.address ?? []));
  const known = await placesOf(image, addresses, reader);
  return threads.map((thread) => ({ ...thread, calls: thread.calls.map((call) => placed(call, known)) }));
}

/** The same of what the OpenMP runtime tells. */
export async function withOmptPlaces(image: ProcessImage, ompt: Ompt, reader: LineReader): Promise<Ompt> {
  const coded = [
    ...ompt.threads.flatMap(({ parallel, task, waitsFor, holds }) => [parallel, task, waitsFor, ...holds]),
    ...ompt.records,
  ];
  const known = await placesOf(
    image,
    coded.flatMap((each) => each?.code?.address ?? []),
    reader,
  );
  return {
    ...ompt,
    threads: ompt.threads.map((thread) => ({
      ...thread,
      ...(thread.parallel === undefined ? {} : { parallel: placed(thread.parallel, known) }),
      ...(thread.task === undefined ? {} : { task: placed(thread.task, known) }),
      ...(thread.waitsFor === undefined ? {} : { waitsFor: placed(thread.waitsFor, known) }),
      holds: thread.holds.map((hold) => placed(hold, known)),
    })),
    records: ompt.records.map((record) => placed(record, known)),
  };
}

type Places = ReadonlyMap<CodeRef['address'], CodeRef>;

function placed<T extends { code?: CodeRef }>(told: T, places: Places): T {
  return told.code === undefined ? told : { ...told, code: places.get(told.code.address) ?? told.code };
}

/** Where a function's name is from: the symbol's, or as the source has it, of what is inlined there. */
type Naming = 'symbol' | 'source';

/** What is known of these places, by their addresses: of what is inlined there the innermost line of the program's own. */
export async function placesOf(
  image: ProcessImage,
  addresses: readonly CodeRef['address'][],
  reader: LineReader,
  naming: Naming = 'symbol',
): Promise<ReadonlyMap<string, CodeRef>> {
  return linesOf(await foundPlaces(image, addresses), reader, naming);
}

/** The same of places that were found before. */
export async function linesOf(
  places: readonly Place[],
  reader: LineReader,
  naming: Naming = 'symbol',
): Promise<ReadonlyMap<string, CodeRef>> {
  const { libraries = new LibraryCode() } = reader;
  await readLines(places, reader);
  return new Map(places.map((place) => [place.code.address, withLine(place, naming, libraries)]));
}

/** By the addresses of the places, with all that is inlined there, outward. A place without a line is left out. */
export async function inlinedLinesOf(
  places: readonly Place[],
  reader: LineReader,
): Promise<ReadonlyMap<string, SourceLine>> {
  await readLines(places, reader);
  return new Map(places.flatMap((place) => [[place.code.address, lineOf(place)] as const].filter(isKnown)));
}

function isKnown(told: readonly [string, SourceLine | undefined]): told is readonly [string, SourceLine] {
  return told[1] !== undefined;
}

/** Without the lines, for which no process is needed. */
export function foundPlaces(image: ProcessImage, addresses: readonly CodeRef['address'][]): Promise<readonly Place[]> {
  return Promise.all([...new Set(addresses)].map((address) => placeOf(image, address)));
}

async function readLines(places: readonly Place[], reader: LineReader): Promise<void> {
  const modules = new Set(places.flatMap(({ module }) => module ?? []));
  for (const module of modules) await findLines(module, places, reader);
}

async function placeOf(image: ProcessImage, hex: CodeRef['address']): Promise<Place> {
  // A call may be the last instruction of its function, and of its line.
  const address = BigInt(hex) - 1n;
  const found = await guard(async () => {
    const [symbol, modules] = await Promise.all([image.symbolAt(address), image.modules()]);
    const module = modules.find(({ segments }) =>
      segments.some((each) => address >= each.address && address < each.address + BigInt(each.size)),
    );
    return { symbol, module };
  });
  const { symbol, module } = found.ok ? found.value : {};
  return {
    code: {
      address: hex,
      ...(symbol === undefined ? {} : { function: symbol.name }),
      ...(module === undefined ? {} : { module: module.path }),
    },
    module,
    address: address - (module?.bias ?? 0n),
  };
}

function lineOf({ module, address }: Place): SourceLine | undefined {
  return knownLines.get(module?.buildId ?? '')?.get(address);
}

function withLine(place: Place, naming: Naming, libraries: LibraryCode): CodeRef {
  const { code } = place;
  const line = lineOf(place);
  if (line === undefined) return code;
  const { inlinedAt = [], ...innermost } = line;
  const own = [innermost, ...inlinedAt].find(({ file }) => !libraries.holds(file)) ?? innermost;
  return naming === 'source' ? { ...code, ...own } : { ...own, ...code };
}

/** gdbs that are not waited for again, and why. */
const unusable = new Map<string, string>();

/** Why this gdb, which was asked for lines, has told none; undefined: it can be used, or was not asked. */
export function whyUnusable(gdb: string): string | undefined {
  return unusable.get(gdb);
}

/** The questions about each file, one after the other: what another rank has asked is known then. */
const asking = new Map<string, Promise<void>>();

async function findLines(module: Module, places: readonly Place[], { gdb, process }: LineReader): Promise<void> {
  const { path, buildId } = module;
  if (buildId === undefined) return;
  const paths = process?.pathsHere(path, module) ?? [path];
  const addresses = places.filter(({ module }) => module?.buildId === buildId).map(({ address }) => address);
  const before = asking.get(buildId) ?? Promise.resolve();
  const asked = before.then(() => learnLines(paths, buildId, addresses, gdb));
  asking.set(buildId, asked);
  await asked;
}

/** Skips a file that has changed since the process loaded it, and one beside which gdb would open a special file. */
async function learnLines(
  paths: readonly string[],
  buildId: string,
  of: readonly bigint[],
  gdb: string,
): Promise<void> {
  const known = knownLines.get(buildId) ?? new Map<bigint, SourceLine | undefined>();
  knownLines.set(buildId, known);
  const wanted = of.filter((address) => !known.has(address));
  if (wanted.length === 0 || unusable.has(gdb)) return;
  const path = paths.find((each) => isSame(each, buildId));
  if (path === undefined) return;
  // Without gdb, or where it cannot read the file, the function is all that is known.
  const lines = await sourceLines(gdb, path, wanted).catch((error: unknown) => {
    if (error instanceof UnusableGdbError) unusable.set(gdb, error.message);
    return undefined;
  });
  for (const address of wanted) {
    const line = lines?.get(address);
    known.set(address, line && (await withLineOfCall(line, path)));
  }
}

/** What the source tells of a call whose line the compiler has noted wrongly, if it is still the one of the program. */
async function withLineOfCall(told: SourceLine, program: string): Promise<SourceLine> {
  const { calls, ...line } = told;
  if (calls === undefined) return line;
  const text = await sourceText(line.file);
  if (text === undefined || (await isNewerThan(line.file, program))) return line;
  const ofCall = lineOfCall(text, sourceFormIn(line.file, text), calls);
  if (ofCall === undefined) return line;
  const { line: _, ...place } = line;
  return ofCall === 'wrong' ? place : { ...place, line: ofCall };
}

function isSame(path: string, buildId: string): boolean {
  try {
    return openElf(path).buildId === buildId && specialNeighbour(path, []) === undefined;
  } catch {
    return false;
  }
}
