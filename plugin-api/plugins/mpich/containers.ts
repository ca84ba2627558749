/**
 * Where MPICH keeps its objects. Each class has a pool: a header in the library's data with a first ("direct") array of
 * objects and further blocks from the heap, and some classes a separate array of predefined ("builtin") objects. A
 * stripped library names none of them, so they are found by content: the header is statically initialised with its
 * class, the element size, and the address of the direct array. Measured with the MPICH 4.0.2 of Debian 12, with 4.2.1
 * and 5.0.2, dynamic and static: one hit per class and no false one, at any time in the program's life.
 */
import type { Module, ProcessImage } from '../../image';
import type { TypeLayout } from '../../layout';
import { boundedCount, readPointer, readPointerArray } from '../../memory';
import type { Implementation } from '../../mpi/records';
import { CorruptError, guard, QueryError } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import type { RenamableKind } from './names';
import { objectSpec, poolSpec, type processSpec } from './specs';

/** One writable segment of the library, read in one piece. */
export interface DataSegment {
  /** A multiple of 8. */
  address: bigint;
  words: Int32Array;
}

export interface Pool {
  /** Address of the header. */
  address: bigint;
  /** MPICH's number of the class: 1 is a communicator. */
  kind: number;
  /** Bytes of an element. */
  size: number;
  isInitialized: boolean;
  direct: bigint;
  directCount: number;
  /** The direct array is not part of the pool: its objects are predefined, and not counted in `used`. */
  isDirectApart: boolean;
  /** Address of the array of pointers to the further blocks. */
  blocks: bigint;
  blockCount: number;
  /** Objects in each block. */
  blockSize: number;
  /** The header tells it, as from 4.3 on. */
  hasBlockSize: boolean;
  /** First element of the list of free objects, 0n for none. */
  available: bigint;
  /** How many objects the pool counts as in use: briefly wrong while the library is changing it. */
  used: number;
}

/** Where MPICH's objects lie in this process, and the reader that knows their layouts. */
export interface Objects {
  reader: StructReader;
  /** By MPICH's number of the class. */
  pools: ReadonlyMap<number, Pool>;
  /** Requests have a pool for each of the library's communication interfaces (VCIs); the first is in `pools` too. */
  requestPools: readonly Pool[];
  /** The arrays of predefined objects, by class; those of MPI_COMM_WORLD and its neighbours from MPI_Init on. */
  builtins: ReadonlyMap<number, bigint>;
  /** The library's writable data, as it was when the objects were looked for. */
  data: readonly DataSegment[];
  /** The kinds for which the layout is proved to have the right name. */
  provedNames: ReadonlySet<RenamableKind>;
  /** MPIR_Process, while MPI is initialised. */
  process: StructValues<typeof processSpec> | undefined;
  /** The size of MPI_COMM_WORLD; undefined: not known, as in MPI_Finalize, unless the launcher has told it. */
  worldSize: number | undefined;
  state: Implementation['state'];
}

/** Until 4.2 the same for every class; 4.3 writes it into the header. */
const defaultBlockSize = 1024;
const maxBlocks = 8192;
const maxDirect = 4096;
/** The most objects of a class that are listed. */
const maxSlots = 1 << 20;
const maxObjectSize = 16384;
/** A static program has its own data in the same segment; beyond this it is too large to search at every stop. */
const maxSegmentBytes = 256 << 20;

/** Throws FaultError, and QueryError with ERR_NOT_SUPPORTED for a program whose data is too large to search. */
export async function readData(image: ProcessImage, module: Module): Promise<DataSegment[]> {
  const data: DataSegment[] = [];
  for (const segment of module.segments.filter((s) => s.writable)) {
    const skipped = Number(-segment.address & 7n);
    const length = (segment.size - skipped) & ~7;
    if (length <= 0) continue;
    if (length > maxSegmentBytes)
      throw new QueryError(
        'MPIDBG_ERR_NOT_SUPPORTED',
        `${module.path} has ${segment.size} bytes of data, too many to search for MPICH's pools`,
      );
    const address = segment.address + BigInt(skipped);
    const bytes = await image.readMemory(address, length);
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    data.push({ address, words: new Int32Array(aligned.buffer, aligned.byteOffset, length / 4) });
  }
  return data;
}

/**
 * The pools in the library's data by their header's layout, several of a class side by side in the order of
 * addresses. `sizes` are the elements' expected sizes by class: they decide only where a class has several hits, and
 * allow a header without a direct array, which alone would be too weak.
 */
export function findPools(
  data: readonly DataSegment[],
  header: TypeLayout,
  sizes: ReadonlyMap<number, number>,
): Map<number, Pool[]> {
  const pools = new Map<number, Pool[]>();
  for (const segment of data) {
    for (const pool of poolsIn(segment, header, sizes)) {
      const known = pools.get(pool.kind);
      const last = known?.at(-1);
      if (known === undefined || last === undefined || rank(pool, sizes) > rank(last, sizes))
        pools.set(pool.kind, [pool]);
      else if (pool.address === last.address + BigInt(header.size) && pool.size === last.size) known.push(pool);
    }
  }
  return pools;
}

function rank(pool: Pool, sizes: ReadonlyMap<number, number>): number {
  return (pool.size === sizes.get(pool.kind) ? 2 : 0) + (pool.direct !== 0n ? 1 : 0);
}

function* poolsIn(segment: DataSegment, header: TypeLayout, sizes: ReadonlyMap<number, number>): Generator<Pool> {
  const { words, address } = segment;
  const end = address + BigInt(4 * words.length);
  const word = (name: keyof typeof poolSpec.fields): number => {
    const field = header.fields[poolSpec.fields[name].path];
    return field === undefined ? -1 : field.offset / 4;
  };
  const [kindAt, sizeAt, initializedAt, directAt] = [word('kind'), word('size'), word('initialized'), word('direct')];
  const [countAt, blocksAt, blockCountAt] = [word('directCount'), word('indirect'), word('blockCount')];
  const [blockSizeAt, availAt, allocatedAt, availableAt] = [
    word('blockSize'),
    word('avail'),
    word('allocated'),
    word('available'),
  ];
  const last = words.length - header.size / 4;
  for (let at = 0; at <= last; at += 2) {
    const kind = words[at + kindAt]!;
    if (kind < 1 || kind > 15) continue;
    const size = words[at + sizeAt]!;
    if (size < 16 || size > maxObjectSize || size % 8 !== 0) continue;
    if (words[at + initializedAt]! >>> 0 > 1) continue;
    const directCount = words[at + countAt]!;
    const blockCount = words[at + blockCountAt]!;
    if (directCount < 0 || directCount > maxDirect || blockCount < 0 || blockCount > maxBlocks) continue;
    if (words[at + availableAt]! < 0 || words[at + availableAt]! > words[at + allocatedAt]!) continue;
    const direct = addressAt(words, at + directAt);
    const isPlausible =
      direct === 0n
        ? directCount === 0 && size === sizes.get(kind)
        : direct >= address && direct + BigInt(directCount * size) <= end && directCount > 0 && direct % 8n === 0n;
    if (!isPlausible) continue;
    yield {
      address: address + BigInt(4 * at),
      kind,
      size,
      isInitialized: words[at + initializedAt] === 1,
      direct,
      directCount,
      isDirectApart: false,
      blocks: addressAt(words, at + blocksAt),
      blockCount,
      blockSize: blockSizeAt < 0 ? defaultBlockSize : words[at + blockSizeAt]!,
      hasBlockSize: blockSizeAt >= 0,
      available: addressAt(words, at + availAt),
      used: words[at + allocatedAt]! - words[at + availableAt]!,
    };
  }
}

/** The address, or any 64-bit number, in the words from `at` on. */
export function addressAt(words: Int32Array, at: number): bigint {
  return (BigInt(words[at + 1]! >>> 0) << 32n) | BigInt(words[at]! >>> 0);
}

/** A word that an array of objects has at the start of this element. */
export interface ElementWord {
  index: number;
  word: number;
}

/**
 * The array of a pool's builtin objects, by the handles of some of them. The linker placed it behind the direct array in
 * nearly every release looked at; without MPI_Init, in a program of sessions, only the first communicator is made.
 */
export function findBuiltins(
  data: readonly DataSegment[],
  pool: Pool,
  words: readonly ElementWord[],
): bigint | undefined {
  const behindDirect = pool.direct + BigInt(pool.directCount * pool.size);
  const [first] = words;
  if (first !== undefined && wordAt(data, behindDirect + BigInt(first.index * pool.size)) === first.word)
    return behindDirect;
  return words.length < 2 ? undefined : findArray(data, pool.size, words);
}

/** The first array of elements of this size that has these words. */
export function findArray(
  data: readonly DataSegment[],
  elementSize: number,
  wanted: readonly ElementWord[],
): bigint | undefined {
  const told = wanted.map(({ index, word }) => ({ at: (index * elementSize) / 4, word }));
  const last = Math.max(...told.map(({ at }) => at));
  for (const { address, words } of data) {
    for (let at = 0; at < words.length - last; at += 2) {
      if (told.every((each) => words[at + each.at] === each.word)) return address + BigInt(4 * at);
    }
  }
  return undefined;
}

/** Where a pointer has this value. */
export function* findPointer(data: readonly DataSegment[], value: bigint): Generator<bigint> {
  const low = Number(BigInt.asIntN(32, value));
  const high = Number(BigInt.asIntN(32, value >> 32n));
  for (const { address, words } of data) {
    for (let at = 0; at < words.length - 1; at += 2) {
      if (words[at] === low && words[at + 1] === high) yield address + BigInt(4 * at);
    }
  }
}

/** undefined: outside the library's data. */
export function wordAt(data: readonly DataSegment[], address: bigint): number | undefined {
  for (const segment of data) {
    const at = Number(address - segment.address) / 4;
    if (at >= 0 && at < segment.words.length) return segment.words[at];
  }
  return undefined;
}

/** Address of an object of the pool's direct array; undefined beyond its end. */
export function directObject(pool: Pool, index: number): bigint | undefined {
  return index < pool.directCount ? pool.direct + BigInt(index * pool.size) : undefined;
}

/** Address of an object in one of the pool's further blocks; undefined beyond their end. */
export async function blockObject(
  image: ProcessImage,
  pool: Pool,
  block: number,
  index: number,
): Promise<bigint | undefined> {
  if (block >= pool.blockCount || index >= pool.blockSize) return undefined;
  return (await readPointer(image, pool.blocks + BigInt(8 * block))) + BigInt(index * pool.size);
}

/**
 * The addresses of the pool's free objects. Throws CorruptError when the list leaves the pool, as it does for a few
 * instructions inside MPI_Comm_free and the like.
 */
export async function freeObjects(reader: StructReader, pool: Pool): Promise<ReadonlySet<bigint>> {
  const next = await reader.offsetOf(objectSpec, 'next');
  const areas = await Promise.all(
    (await areasOf(reader.image, pool)).map((area) => readArea(reader.image, pool, area)),
  );
  const free = new Set<bigint>();
  for (let address = pool.available; address !== 0n;) {
    const area = areas.find(({ start, end }) => address >= start && address < end);
    const offset = area === undefined ? 0 : Number(address - area.start);
    if (area === undefined || offset % pool.size !== 0)
      throw new CorruptError(`the list of free objects leads to 0x${address.toString(16)}`);
    if (free.has(address)) throw new CorruptError(`the list of free objects is circular`);
    free.add(address);
    address =
      area.bytes?.getBigUint64(offset + next, true) ?? (await readPointer(reader.image, address + BigInt(next)));
  }
  return free;
}

/** Longer parts are not read as a whole. */
const maxAreaLength = 1 << 20;

/** A part of a pool, with all its bytes where they can be read at once: most of its objects are free. */
async function readArea(image: ProcessImage, { size }: Pool, { start, count }: Area) {
  const length = count * size;
  const read = length > 0 && length <= maxAreaLength ? await guard(() => image.readMemory(start, length)) : undefined;
  const bytes = read?.ok === true ? new DataView(read.value.buffer, read.value.byteOffset, length) : undefined;
  return { start, end: start + BigInt(length), bytes };
}

/** The addresses of all places for objects, in the order of their handles; all blocks. Throws FaultError. */
export async function slotsOf(image: ProcessImage, pool: Pool): Promise<bigint[]> {
  const areas = await areasOf(image, pool);
  boundedCount(
    areas.reduce((sum, { count }) => sum + count, 0),
    maxSlots,
    "the number of a pool's objects",
  );
  return areas.flatMap(({ start, count }) => Array.from({ length: count }, (_, i) => start + BigInt(i * pool.size)));
}

/** Where objects of a pool lie side by side. */
interface Area {
  start: bigint;
  count: number;
}

async function areasOf(image: ProcessImage, pool: Pool): Promise<Area[]> {
  const blocks = await readPointerArray(image, pool.blocks, pool.blockCount, maxBlocks, 'the number of blocks');
  return [
    { start: pool.direct, count: pool.directCount },
    ...blocks.map((start) => ({ start, count: pool.blockSize })),
  ];
}
