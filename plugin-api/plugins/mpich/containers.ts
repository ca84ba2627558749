/**
 * Where MPICH keeps its objects. Each class has a pool: a header in the library's data with a first ("direct") array of
 * objects and further blocks from the heap, and some classes a separate array of predefined ("builtin") objects.
 * A stripped library names none of them, so they are found by content: the header is initialised statically with its
 * class, the size of an element, and the direct array's place. Measured with the MPICH 4.0.2 of Debian 12, with 4.2.1
 * and 5.0.2, dynamic and static: one hit per class, no false one, at any time between program start and end.
 */
import type { Module, ProcessImage } from '../../image';
import type { TypeLayout } from '../../layout';
import { readPointer, walkList } from '../../memory';
import type { Implementation } from '../../mpi/records';
import { CorruptError, QueryError } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { objectSpec, poolSpec, type processSpec } from './specs';

/** One writable segment of the library, read in one piece. */
export interface DataSegment {
  /** A multiple of 8. */
  address: bigint;
  words: Int32Array;
}

export interface Pool {
  /** MPICH's number of the class: 1 is a communicator. */
  kind: number;
  /** Bytes of an element. */
  size: number;
  isInitialized: boolean;
  direct: bigint;
  directCount: number;
  /** Address of the array of pointers to the further blocks. */
  blocks: bigint;
  blockCount: number;
  /** Objects in each block. */
  blockSize: number;
  /** First element of the list of free objects, 0n for none. */
  available: bigint;
}

/** Where MPICH's objects lie in this process, and the reader that knows their layouts. */
export interface Objects {
  reader: StructReader;
  /** By MPICH's number of the class. */
  pools: ReadonlyMap<number, Pool>;
  /** MPI_COMM_WORLD and its neighbours; undefined until MPI_Init made them. */
  builtinComms: bigint | undefined;
  /** MPIR_Process, while MPI is initialised. */
  process: StructValues<typeof processSpec> | undefined;
  state: Implementation['state'];
}

/** Until 4.2 the same for every class; 4.3 writes it into the header. */
const defaultBlockSize = 1024;
const maxBlocks = 8192;
const maxDirect = 4096;
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
 * The pools in the library's data by their header's layout. `sizes` are the elements' expected sizes by class: they
 * decide only where a class has several hits, and admit a header without a direct array, which is otherwise too weak.
 */
export function findPools(
  data: readonly DataSegment[],
  header: TypeLayout,
  sizes: ReadonlyMap<number, number>,
): Map<number, Pool> {
  const pools = new Map<number, Pool>();
  for (const segment of data) {
    for (const pool of poolsIn(segment, header, sizes)) {
      const known = pools.get(pool.kind);
      if (known === undefined || rank(pool, sizes) > rank(known, sizes)) pools.set(pool.kind, pool);
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
      kind,
      size,
      isInitialized: words[at + initializedAt] === 1,
      direct,
      directCount,
      blocks: addressAt(words, at + blocksAt),
      blockCount,
      blockSize: blockSizeAt < 0 ? defaultBlockSize : words[at + blockSizeAt]!,
      available: addressAt(words, at + availAt),
    };
  }
}

function addressAt(words: Int32Array, at: number): bigint {
  return (BigInt(words[at + 1]! >>> 0) << 32n) | BigInt(words[at]! >>> 0);
}

/**
 * The array of a pool's builtin objects, by the handles of its first two. The linker placed it behind the direct array
 * in every release looked at; without MPI_Init, in a program of sessions, only its first object is made.
 */
export function findBuiltins(
  data: readonly DataSegment[],
  pool: Pool,
  first: number,
  second: number,
): bigint | undefined {
  const behindDirect = pool.direct + BigInt(pool.directCount * pool.size);
  if (wordsAt(data, behindDirect, 1)?.[0] === first) return behindDirect;
  const next = pool.size / 4;
  for (const { address, words } of data) {
    for (let at = 0; at < words.length - next; at += 2) {
      if (words[at] === first && words[at + next] === second) return address + BigInt(4 * at);
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

function wordsAt(data: readonly DataSegment[], address: bigint, count: number): Int32Array | undefined {
  for (const segment of data) {
    const at = Number(address - segment.address) / 4;
    if (at >= 0 && at + count <= segment.words.length) return segment.words.subarray(at, at + count);
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
 * Whether the object is on its pool's list of free ones. Throws CorruptError when the list leaves the pool, as it does
 * for a few instructions inside MPI_Comm_free and the like.
 */
export async function isFree(reader: StructReader, pool: Pool, object: bigint): Promise<boolean> {
  const isSlot = await slotTest(reader.image, pool);
  const slots = pool.directCount + pool.blockCount * pool.blockSize;
  const nextFree = (o: StructValues<typeof objectSpec>): bigint | undefined => (o.next === 0n ? undefined : o.next);
  const read = (address: bigint) => {
    if (!isSlot(address)) throw new CorruptError(`the list of free objects leads to 0x${address.toString(16)}`);
    return reader.read(objectSpec, address);
  };
  const first = pool.available === 0n ? undefined : pool.available;
  for await (const free of walkList(first, read, nextFree, slots, 'the list of free objects'))
    if (free.address === object) return true;
  return false;
}

async function slotTest(image: ProcessImage, pool: Pool): Promise<(address: bigint) => boolean> {
  const areas: { start: bigint; count: number }[] = [{ start: pool.direct, count: pool.directCount }];
  for (let block = 0; block < pool.blockCount; block++)
    areas.push({ start: await readPointer(image, pool.blocks + BigInt(8 * block)), count: pool.blockSize });
  const size = BigInt(pool.size);
  return (address) =>
    areas.some(
      ({ start, count }) =>
        address >= start && address < start + size * BigInt(count) && (address - start) % size === 0n,
    );
}
