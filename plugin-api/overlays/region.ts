/**
 * The collector's region in a process (adapter/collector/native/region.h): found by a symbol, and read table by table. Every
 * number in it is checked before it is used: it may be damaged, and the process may be writing it.
 */
import type { ProcessImage } from '../image';
import { CorruptError, QueryError } from '../result';
import { decodeText } from '../struct';

/** Descriptor and region begin with it; see region.h. */
const magic = 'MPIDBGRG';
export const regionVersion = 5;
const maxRegionBytes = 32 << 20;

const descriptorBytes = 160;
const headerBytes = 96;
const tableHeaderBytes = 24;

/** In the order of region.h, with the size of an entry. */
const tables = {
  texts: 1,
  values: 8,
  enums: 12,
  enumItems: 8,
  pvars: 24,
  instances: 56,
  cvars: 32,
  categories: 32,
  members: 4,
  denied: 8,
  hints: 8,
  sources: 88,
  eventTypes: 48,
  elements: 16,
  registrations: 24,
  rings: 64,
  slots: 64,
  requests: 536,
  functions: 16,
  calling: 200,
  comms: 32,
  lives: 80,
  openmp: 16,
  callbacks: 16,
  ompThreads: 1536,
  parallels: 40,
  tasks: 40,
  devices: 24,
  images: 32,
} as const;

export type TableName = keyof typeof tables;
const tableNames = Object.keys(tables) as TableName[];
const numberOf = Object.fromEntries(tableNames.map((name, i) => [name, i])) as Record<TableName, number>;

/** The first entries of a table, as many as were complete when its count was read. */
export interface Table {
  readonly count: number;
  /** The bytes of one entry; throws CorruptError for one that is not there. */
  at(index: number): DataView;
  /** The word at `offset` of one entry: where most entries are passed over, a view of each would cost more than all else. */
  uint32(index: number, offset: number): number;
}

/** Entries of a table, `end` not among them. */
export interface Span {
  first: number;
  end: number;
}

/** All entries from the first to the last of these; `count`: of each, from `first` on. */
export function spanOf(parts: readonly { first: number; count: number }[]): Span {
  const span = { first: Infinity, end: 0 };
  for (const { first, count } of parts) {
    if (count === 0) continue;
    span.first = Math.min(span.first, first);
    span.end = Math.max(span.end, first + count);
  }
  return span;
}

/** The values of enum state. */
export const regionStates = { starting: 0, collecting: 1, finished: 2 } as const;

export interface RegionHeader {
  /** One of regionStates. */
  state: number;
  /** Nanoseconds. */
  start: bigint;
  startReal: bigint;
  sampled: bigint;
  /** The index of the text that says why nothing can be collected; 0: it can. */
  problem: number;
  changed: { first: number; last: number; noticed: number };
  /** Bits of collectBits. */
  collects: number;
  /** Records that found no ring. */
  unrecorded: bigint;
}

/** What the collector of a region was asked for. */
export const collectBits = { pvars: 1, events: 2, calls: 4, ompt: 8 } as const;

const howToStart = 'start the job with mpidbg run -- LAUNCHER ..., or see mpidbg collector';

interface TablePlace {
  offset: number;
  count: number;
  refused: number;
}

export class Region {
  private readonly places = new Map<TableName, TablePlace>();

  private constructor(
    private readonly image: ProcessImage,
    readonly address: bigint,
    readonly header: RegionHeader,
    /** The header and the headers of the tables, which are checked when a table is used: a look uses few of them. */
    private readonly head: DataView,
    private readonly size: number,
  ) {}

  /** Throws QueryError: there is no collector, it is off, it is of another version, or its region is damaged. */
  static async open(image: ProcessImage): Promise<Region> {
    const symbol = await image.findSymbol('mpidbg_collector');
    if (symbol === undefined)
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', `the program was started without the collector: ${howToStart}`);
    const descriptor = await view(image, symbol.address, descriptorBytes);
    checkStart(descriptor, 'the description of the collector');
    const address = descriptor.getBigUint64(16, true);
    if (address === 0n) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', whyNone(descriptor));
    return Region.at(image, address);
  }

  /** At the address of an earlier look; undefined: there is none any more. */
  static async again(image: ProcessImage, address: bigint): Promise<Region | undefined> {
    try {
      return await Region.at(image, address);
    } catch (error) {
      if (error instanceof QueryError) return undefined;
      throw error;
    }
  }

  private static async at(image: ProcessImage, address: bigint): Promise<Region> {
    const bytes = await view(image, address, headerBytes + tableNames.length * tableHeaderBytes);
    checkStart(bytes, 'the region of the collector');
    const size = Number(bytes.getBigUint64(16, true));
    if (size > maxRegionBytes || bytes.getUint32(68, true) !== tableNames.length)
      throw new CorruptError('the region of the collector is damaged: its size is not plausible');
    return new Region(image, address, headerOf(bytes), bytes, size);
  }

  /** Throws CorruptError. */
  private place(name: TableName): TablePlace {
    const place = this.places.get(name) ?? placeOf(this.head, numberOf[name], tables[name], this.size);
    this.places.set(name, place);
    return place;
  }

  /** As it is now; only the entries of `span`, where one is given. Throws FaultError. */
  async table(name: TableName, span: Span = { first: 0, end: Infinity }): Promise<Table> {
    const { offset, count } = this.place(name);
    const stride = tables[name];
    const [first, end] = [Math.min(span.first, count), Math.min(span.end, count)];
    const address = this.address + BigInt(offset + first * stride);
    const bytes = end <= first ? undefined : await view(this.image, address, (end - first) * stride);
    const checked = (index: number): DataView => {
      if (bytes === undefined || index < first || index >= end)
        throw new CorruptError(`the region of the collector is damaged: ${name} has no entry ${index}`);
      return bytes;
    };
    return {
      count,
      at: (index) => {
        const { buffer, byteOffset } = checked(index);
        return new DataView(buffer, byteOffset + (index - first) * stride, stride);
      },
      uint32: (index, at) => checked(index).getUint32((index - first) * stride + at, true),
    };
  }

  /** How many entries this table has had since the region was opened. */
  count(name: TableName): number {
    return this.place(name).count;
  }

  /** Entries for which this table had no room. */
  refused(name: TableName): number {
    return this.place(name).refused;
  }

  /** The entries from `first` on, as they are now. Throws FaultError, and CorruptError for entries that are not there. */
  async entries(name: TableName, first: number, count: number): Promise<DataView> {
    const { offset, count: all } = this.place(name);
    if (first + count > all)
      throw new CorruptError(`the region of the collector is damaged: ${name} has no entries beyond ${all}`);
    return view(this.image, this.address + BigInt(offset + first * tables[name]), count * tables[name]);
  }

  /** Where an entry is in the process. Throws CorruptError. */
  addressOf(name: TableName, index: number): bigint {
    const { offset, count } = this.place(name);
    if (index >= count) throw new CorruptError(`the region of the collector is damaged: ${name} has no entry ${index}`);
    return this.address + BigInt(offset + index * tables[name]);
  }

  async texts(): Promise<Texts> {
    const { offset, count } = this.place('texts');
    return new Texts(await this.image.readMemory(this.address + BigInt(offset), count));
  }
}

/** The texts of a region, by their offset. Each is stored once, so that all together are no longer than their table. */
export class Texts {
  private readonly known = new Map<number, string>();
  private budget: number;

  constructor(private readonly bytes: Uint8Array) {
    this.budget = bytes.length;
  }

  /** Throws CorruptError for an offset beyond all texts, and where texts overlap. */
  at(offset: number): string {
    const known = this.known.get(offset);
    if (known !== undefined) return known;
    const end = this.bytes.indexOf(0, offset);
    this.budget -= end - offset + 1;
    if (offset >= this.bytes.length || end < 0 || this.budget < 0)
      throw new CorruptError(`the region of the collector is damaged: no text begins at ${offset}`);
    const text = decodeText(this.bytes.subarray(offset, end));
    this.known.set(offset, text);
    return text;
  }
}

/** Entries of a table that others take parts of, each part for one of them: whatever they say, they get no more than there is. */
export class Parts {
  private left: number;

  constructor(
    readonly table: Table,
    private readonly what: string,
  ) {
    this.left = table.count;
  }

  /** `count` entries from `first` on. Throws CorruptError. */
  take(first: number, count: number): DataView[] {
    this.left -= count;
    if (first + count > this.table.count || this.left < 0)
      throw new CorruptError(`the region of the collector is damaged: ${this.what} are not where they can be`);
    return Array.from({ length: count }, (_, i) => this.table.at(first + i));
  }
}

async function view(image: ProcessImage, address: bigint, length: number): Promise<DataView> {
  const bytes = await image.readMemory(address, length);
  return new DataView(bytes.buffer, bytes.byteOffset, length);
}

function checkStart(bytes: DataView, what: string): void {
  const found = decodeText(new Uint8Array(bytes.buffer, bytes.byteOffset, magic.length));
  if (found !== magic) throw new CorruptError(`${what} is damaged: bad magic number`);
  const version = bytes.getUint32(8, true);
  if (version !== regionVersion)
    throw new QueryError(
      'MPIDBG_ERR_NOT_SUPPORTED',
      `the collector in the rank writes version ${version}, and this mpidbg reads version ${regionVersion}: use the same mpidbg for both`,
    );
}

function whyNone(descriptor: DataView): string {
  const problem = decodeText(new Uint8Array(descriptor.buffer, descriptor.byteOffset + 32, 128));
  if (problem !== '') return `the collector is off: ${problem}`;
  return 'the collector has not begun: the program has not initialised MPI, has MPI linked in statically, or MPIDBG_COLLECT is not set';
}

function headerOf(bytes: DataView): RegionHeader {
  return {
    state: bytes.getUint32(28, true),
    start: bytes.getBigUint64(32, true),
    startReal: bytes.getBigUint64(40, true),
    sampled: bytes.getBigUint64(48, true),
    problem: bytes.getUint32(64, true),
    changed: {
      first: bytes.getInt32(72, true),
      last: bytes.getInt32(76, true),
      noticed: bytes.getUint32(80, true),
    },
    collects: bytes.getUint32(56, true),
    unrecorded: bytes.getBigUint64(88, true),
  };
}

function placeOf(bytes: DataView, index: number, stride: number, size: number): TablePlace {
  const at = headerBytes + index * tableHeaderBytes;
  const [offset, capacity] = [Number(bytes.getBigUint64(at, true)), bytes.getUint32(at + 12, true)];
  const count = bytes.getUint32(at + 16, true);
  if (bytes.getUint32(at + 8, true) !== stride || count > capacity || offset + stride * capacity > size)
    throw new CorruptError('the region of the collector is damaged: a table is out of bounds');
  return { offset, count, refused: bytes.getUint32(at + 20, true) };
}
