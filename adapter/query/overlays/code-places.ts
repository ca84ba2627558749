/** Where the program makes its calls: function, file and line of the addresses that they return to. */
import type { Module, ProcessImage } from '../../../plugin-api/image';
import type { CodeRef, ThreadCalls } from '../../../plugin-api/overlays/records';
import { guard } from '../../../plugin-api/result';
import { openElf } from '../../elf/elf-cache';
import { specialNeighbour } from '../../elf/special-neighbours';
import { sourceLines, type SourceLine } from '../../gdb/source-lines';

/** By build-id: for each address of the file, as it was linked, its line; undefined: it has none. */
const knownLines = new Map<string, Map<bigint, SourceLine | undefined>>();

interface Place {
  code: CodeRef;
  module: Module | undefined;
  /** As the module was linked. */
  address: bigint;
}

/** The same calls with what is known of each place. `gdb`: it reads the files of the program; the process is not touched. */
export async function withPlaces(
  image: ProcessImage,
  threads: readonly ThreadCalls[],
  gdb: string,
): Promise<ThreadCalls[]> {
  const addresses = new Set(threads.flatMap(({ calls }) => calls.flatMap(({ code }) => code?.address ?? [])));
  const places = await Promise.all([...addresses].map((address) => placeOf(image, address)));
  for (const module of new Set(places.flatMap(({ module: each }) => each ?? []))) await findLines(module, places, gdb);
  const known = new Map(places.map((place) => [place.code.address, withLine(place)]));
  return threads.map((thread) => ({
    ...thread,
    calls: thread.calls.map((call) =>
      call.code === undefined ? call : { ...call, code: known.get(call.code.address) ?? call.code },
    ),
  }));
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

function withLine({ code, module, address }: Place): CodeRef {
  return { ...code, ...knownLines.get(module?.buildId ?? '')?.get(address) };
}

/** Only of files that are still what the process runs, and of which gdb can read all that it would. */
async function findLines({ path, buildId }: Module, places: readonly Place[], gdb: string): Promise<void> {
  if (buildId === undefined) return;
  const known = knownLines.get(buildId) ?? new Map<bigint, SourceLine | undefined>();
  knownLines.set(buildId, known);
  const wanted = places.filter(({ module, address }) => module?.buildId === buildId && !known.has(address));
  if (wanted.length === 0 || !isSame(path, buildId)) return;
  const addresses = wanted.map(({ address }) => address);
  // Without gdb, or where it cannot read the file, the function is all that is known.
  const lines = await sourceLines(gdb, path, addresses).catch(() => undefined);
  for (const address of addresses) known.set(address, lines?.get(address));
}

function isSame(path: string, buildId: string): boolean {
  try {
    return openElf(path).buildId === buildId && specialNeighbour(path, []) === undefined;
  } catch {
    return false;
  }
}
