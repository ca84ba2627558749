/** A process of an MPICH job made by hand: pools and objects written where a release's table has their fields. */
import type { Module } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { classSpecs } from '../../plugin-api/plugins/mpich/specs';
import { standardAbiTables, tables } from '../../plugin-api/plugins/mpich/tables';
import { MockImage } from './mock-image';
import type { MockReceive, MockUcx } from './mock-ucx';

type Values = Record<string, bigint | number | string>;

/** What a communicator of the mock holds. A member is its rank in MPI_COMM_WORLD; null: of another world. */
export interface MockComm {
  rank?: number;
  name?: string;
  contextId?: number;
  receiveContextId?: number;
  members?: (number | null)[];
  remoteMembers?: (number | null)[];
  attributes?: bigint;
  errhandler?: bigint;
  localGroup?: bigint;
  localComm?: bigint;
  references?: number;
}

export interface MockOptions {
  version?: string;
  /** Whose table the bytes are written by, where the version has none of its own. */
  layoutOf?: string;
  device?: string;
  state?: 'notInitialized' | 'sessions' | 'initialized' | 'finalized';
  rank?: number;
  size?: number;
  path?: string;
  /** In the executable; then no version can be told. */
  isStatic?: boolean;
  /** The library of MPI 5's binary interface. */
  isStandardAbi?: boolean;
  /** Element sizes that differ from the table's, by struct. */
  sizes?: Readonly<Record<string, number>>;
}

const textStart = 0x7f0ff0000000n;
const dataStart = 0x7f1000000000n;
const heapStart = 0x555500000000n;
const directCount = 8;
const commClass = 1;
const datatypeClass = 3;
const keyvalClass = 9;
const requestClass = 11;

/** Inside the library: where its own callbacks lie. */
export const libraryCode = textStart + 0x100n;
const topologyCopyFunction = textStart + 0x800n;
/** Where the library keeps the keyval of topologies, and what it says while there is none. */
export const topologyVariable = dataStart + 8n;
const invalidKeyval = 0x24000000;
const topologyKeyval = 0xa4400000;
/** Where the program's code is. */
export const programCode = 0x401000n;

interface MockAttribute {
  keyval: number;
  value: bigint;
  type?: number;
  copyFunction?: bigint;
  deleteFunction?: bigint;
}

function littleEndian(value: number): number[] {
  return [0, 8, 16, 24].map((shift) => (value >> shift) & 0xff);
}

export class MockMpich {
  readonly image = new MockImage();
  readonly library: Module;
  /** Addresses of MPI_COMM_WORLD and MPI_COMM_SELF. */
  readonly world: bigint;
  readonly self: bigint;
  private readonly table: Readonly<Record<string, TypeLayout>>;
  private dataTop = dataStart + 64n;
  private heapTop = heapStart;
  private readonly headers = new Map<number, bigint>();
  private readonly direct = new Map<number, bigint>();
  private readonly commSize: bigint;

  constructor(options: MockOptions = {}) {
    const { isStandardAbi = false } = options;
    const { version = '4.0.2', layoutOf = version, device = 'ch4:ucx', state = 'initialized' } = options;
    const { rank = 1, size = 4, isStatic = false, path = '/usr/lib/libmpich.so.12.2.2', sizes = {} } = options;
    this.table = (isStandardAbi ? standardAbiTables : tables)[layoutOf]!;
    this.image.variables.set('PMI_RANK', String(rank)).set('PMI_SIZE', String(size));
    const text = { address: textStart, size: 0x2000, executable: true };
    this.library = this.image.load(path, [text, { address: dataStart, size: 0x20000, writable: true }], isStatic);
    this.image.map(heapStart, 0x400000);
    this.writeTopologyCode(isStatic);
    if (!isStatic) this.writeVersion(version, device, isStandardAbi);
    const isUsed = state === 'initialized' || state === 'sessions';
    for (const [kind, spec] of classSpecs) {
      if (kind === requestClass && state === 'notInitialized') continue;
      const elementSize = sizes[spec.struct] ?? this.layout(spec.struct).size;
      this.addPool(kind, elementSize, isUsed && kind === commClass);
    }
    this.commSize = BigInt(sizes['MPIR_Comm'] ?? this.layout('MPIR_Comm').size);
    this.world = this.direct.get(commClass)! + this.commSize * BigInt(directCount);
    this.self = this.world + this.commSize;
    if (state === 'notInitialized') return;
    const everybody = Array.from({ length: size }, (_, i) => i);
    this.writeComm(this.world, 0x44000000, { name: 'MPI_COMM_WORLD', rank, members: everybody });
    const hasSelf = state !== 'sessions';
    if (hasSelf) this.writeComm(this.self, 0x44000001, { name: 'MPI_COMM_SELF', members: [rank], contextId: 16 });
    if (state !== 'finalized') this.writeProcess(rank, size, hasSelf);
  }

  layout(struct: string): TypeLayout {
    const layout = this.table[struct];
    if (layout === undefined) throw new Error(`no layout of ${struct}`);
    return layout;
  }

  /** Zeroed memory of the heap. */
  allocate(size: number): bigint {
    const address = this.heapTop;
    this.heapTop += BigInt((size + 31) & ~15);
    return address;
  }

  write(struct: string, address: bigint, values: Values): void {
    this.image.writeStruct(this.layout(struct), address, values);
  }

  ints(...values: number[]): bigint {
    const address = this.allocate(4 * values.length);
    this.image.writeI32(address, ...values);
    return address;
  }

  object(struct: string, values: Values): bigint {
    const address = this.allocate(this.layout(struct).size);
    this.write(struct, address, values);
    return address;
  }

  /** The next communicator of the direct array. */
  comm(comm: MockComm = {}): bigint {
    const { handle, address } = this.make(commClass, 'MPIR_Comm');
    this.writeComm(address, Number(handle), comm);
    return handle;
  }

  /** The address behind a handle of the direct array. */
  commAddress(handle: bigint): bigint {
    return this.direct.get(commClass)! + (handle & 0xffffn) * this.commSize;
  }

  /**
   * The next object in the direct array of a class, whose other places are free: the struct's fields but for its handle
   * and, unless given, its one reference.
   */
  make(kind: number, struct: string, values: Values = {}): { handle: bigint; address: bigint } {
    const index = this.made.get(kind) ?? 0;
    this.made.set(kind, index + 1);
    this.writeFreeList(kind, index + 1);
    const address = this.place(kind, index);
    this.writeObject(struct, address, this.handleOf(kind, index), values);
    return { handle: BigInt(this.handleOf(kind, index)), address };
  }

  private place(kind: number, index: number): bigint {
    return this.direct.get(kind)! + BigInt(index * this.elementSizes.get(kind)!);
  }

  private handleOf(kind: number, index: number): number {
    return (2 * 2 ** 30 + kind * 2 ** 26 + index) >>> 0;
  }

  /** All places of the direct array from `first` on are free. */
  private writeFreeList(kind: number, first: number): void {
    const next = (index: number) => (index < directCount ? this.place(kind, index) : 0n);
    for (let i = first; i < directCount; i++)
      this.write('MPIR_Handle_common', this.place(kind, i), {
        ...{ handle: this.handleOf(kind, i), ref_count: 0, next: next(i + 1) },
      });
    this.freeObjects.set(kind, { first: next(first), count: directCount - first });
    this.writeFreeObjects(kind);
  }

  private writeFreeObjects(kind: number): void {
    const { first, count } = this.freeObjects.get(kind)!;
    this.write('MPIR_Object_alloc_t', this.headers.get(kind)!, {
      ...{ initialized: 1, num_allocated: directCount, num_avail: count, avail: first },
    });
  }
  /** The first free object of each class, and how many there are. */
  private readonly freeObjects = new Map<number, { first: bigint; count: number }>();
  private readonly elementSizes = new Map<number, number>();
  private readonly made = new Map<number, number>();

  /** A request of this kind, with a transfer of UCX's that may be its own. */
  makeRequest(
    ucx: MockUcx,
    kind: number,
    receive: MockReceive = {},
    values: Values = {},
  ): ReturnType<MockMpich['make']> {
    const request = this.make(requestClass, 'MPIR_Request', { ref_count: 2, kind, ...values });
    const area = ucx.receive({ userData: request.address, ...receive });
    this.transfers.set(request.address, area);
    this.write('MPIR_Request', request.address, { cc_ptr: this.ints(1), [this.transferField()]: area });
    return request;
  }

  /** The user's area of a request's transfer. */
  transferOf(request: bigint): bigint {
    return this.transfers.get(request)!;
  }
  private readonly transfers = new Map<bigint, bigint>();

  private transferField(): string {
    const old = 'dev.ch4.netmod.ucx.ucp_request';
    return old in this.layout('MPIR_Request').fields ? old : 'dev.ch4.netmod.ucx.s.ucp_request';
  }

  /** A builtin object: it lies behind the direct array. */
  makeBuiltin(kind: number, struct: string, index: number, handle: bigint, values: Values = {}): bigint {
    const address = this.direct.get(kind)! + BigInt((directCount + index) * this.layout(struct).size);
    this.writeObject(struct, address, Number(handle), values);
    return address;
  }

  private writeObject(struct: string, address: bigint, handle: number, values: Values): void {
    const { ref_count = 1, ...fields } = values;
    this.write('MPIR_Handle_common', address, { handle, ref_count });
    this.write(struct, address, fields);
  }

  /** The list of a class's free objects ends too early, as it does for a few instructions of MPI_Comm_free. */
  cutFreeList(kind: number): void {
    this.write('MPIR_Object_alloc_t', this.headers.get(kind)!, { avail: 0n });
  }

  text(text: string): bigint {
    const address = this.allocate(text.length + 1);
    this.image.writeText(address, text);
    return address;
  }

  /** What MPI_Comm_free leaves. */
  free(handle: bigint): void {
    const address = this.commAddress(handle);
    const { first, count } = this.freeObjects.get(commClass)!;
    this.write('MPIR_Handle_common', address, { ref_count: 0, next: first });
    this.freeObjects.set(commClass, { first: address, count: count + 1 });
    this.writeFreeObjects(commClass);
  }

  /** Makes the list of free communicators lead to an address. */
  setFirstFree(address: bigint): void {
    this.write('MPIR_Object_alloc_t', this.headers.get(commClass)!, { avail: address });
  }

  /** A block of the heap for communicators; `index`: the only object in it that is made. */
  commInBlock(index: number, comm: MockComm): bigint {
    const size = this.layout('MPIR_Comm').size;
    const block = this.allocate(1024 * size);
    const blocks = this.allocate(8);
    this.image.writeU64(blocks, block);
    this.write('MPIR_Object_alloc_t', this.headers.get(commClass)!, { indirect: blocks, indirect_size: 1 });
    const handle = 0xc4000000 + index;
    this.writeComm(block + BigInt(index * size), handle, comm);
    return BigInt(handle);
  }

  /** A list of attributes; returns its head. */
  attributes(...list: MockAttribute[]): bigint {
    let next = 0n;
    for (const { keyval, value, type = 0, deleteFunction = 0n, copyFunction = 0n } of list.reverse()) {
      const functions = { 'copyfn.user_function': copyFunction, 'delfn.user_function': deleteFunction };
      const key = this.make(keyvalClass, 'MPII_Keyval', { handle: keyval, kind: 1, ...functions }).address;
      next = this.object('MPIR_Attribute', { handle: 0xa8000000, keyval: key, next, attrType: type, value });
    }
    return next;
  }

  /** The attribute that holds a topology. */
  topology(values: Values): MockAttribute {
    this.image.writeI32(topologyVariable, topologyKeyval);
    const functions = { copyFunction: topologyCopyFunction, deleteFunction: libraryCode };
    return { keyval: topologyKeyval, value: this.object('MPIR_Topology', values), ...functions };
  }

  /**
   * The calls that ask for a topology call a function that compares the keyval's variable with MPI_KEYVAL_INVALID. A
   * static executable without symbols has the function that copies a topology, and the text of its name.
   */
  private writeTopologyCode(isStatic: boolean): void {
    const name = textStart + 0x7c0n;
    if (isStatic) this.image.writeText(name, 'MPIR_Topology_copy_fn');
    const at = (address: bigint, end: bigint) => littleEndian(Number(address - end));
    this.image.writeBytes(topologyCopyFunction + 64n, 0x48, 0x8d, 0x15, ...at(name, topologyCopyFunction + 71n));
    this.image.writeI32(topologyVariable, invalidKeyval);
    if (!isStatic) this.writeTopologyQueries(topologyVariable, topologyVariable);
  }

  /** `variables`: what each of the calls compares. */
  writeTopologyQueries(...variables: bigint[]): void {
    const at = (address: bigint, end: bigint) => littleEndian(Number(address - end));
    for (const [i, variable] of variables.entries()) {
      const [query, inner] = [textStart + BigInt(0x200 + 0x80 * i), textStart + BigInt(0x400 + 0x80 * i)];
      this.image.define(['PMPI_Topo_test', 'PMPI_Cartdim_get'][i]!, query, this.library, 64);
      this.image.writeBytes(query + 9n, 0xe8, ...at(inner, query + 14n));
      this.image.writeBytes(inner + 4n, 0x8b, 0x35, ...at(variable, inner + 10n));
      this.image.writeBytes(inner + 20n, 0x81, 0xfe, ...littleEndian(invalidKeyval));
    }
  }

  /** MPI_Comm_get_name copies 128 bytes from this offset of a communicator. */
  writeNameCode(offset: number): void {
    const call = textStart + 0x600n;
    this.image.define('PMPI_Comm_get_name', call, this.library, 32);
    this.image.writeBytes(call, 0x48, 0x8d, 0xb7, ...littleEndian(offset), 0xba, ...littleEndian(128));
  }

  /** Writes a rank map, where the release has them. */
  writeMap(handle: bigint, values: Values, map = 'dev.ch4.map'): void {
    const named = Object.entries(values).map(([field, value]) => [`${map}.${field}`, value]);
    this.write('MPIR_Comm', this.commAddress(handle), Object.fromEntries(named) as Values);
  }

  writeProcessAttributes(values: Values): void {
    this.write('MPIR_Process_t', this.dataTop, values);
  }

  hasMaps(): boolean {
    return this.layout('MPIR_Comm').fields['dev.ch4.map.mode'] !== undefined;
  }

  private writeVersion(version: string, device: string, isStandardAbi: boolean): void {
    this.image.writeText(textStart, version);
    this.image.writeText(textStart + 32n, device);
    this.image.define('MPII_Version_string', textStart, this.library);
    this.image.define('MPII_Version_device', textStart + 32n, this.library);
    this.image.define('MPI_Init', libraryCode, this.library);
    this.image.define(isStandardAbi ? 'MPII_Comm_get_attr' : 'MPIR_Dup_fn', libraryCode + 16n, this.library);
  }

  private addPool(kind: number, size: number, isInitialized: boolean): void {
    const layout = this.layout('MPIR_Object_alloc_t');
    const header = this.dataTop;
    // 5.0 has no direct array of datatypes in the header.
    const hasDirect = !(kind === datatypeClass && layout.fields['indirect_block_size'] !== undefined);
    const direct = hasDirect ? header + BigInt((layout.size + 15) & ~15) : 0n;
    const builtins = 3;
    this.dataTop = (hasDirect ? direct : header + BigInt(layout.size)) + BigInt(size * (directCount + builtins));
    this.write('MPIR_Object_alloc_t', header, {
      ...{ initialized: isInitialized ? 1 : 0, kind, size, direct },
      direct_size: hasDirect ? directCount : 0,
      ...(layout.fields['indirect_block_size'] === undefined ? {} : { indirect_block_size: 1024 }),
    });
    this.headers.set(kind, header);
    this.direct.set(kind, direct);
    this.elementSizes.set(kind, size);
    if (isInitialized) this.writeFreeList(kind, 0);
  }

  private writeProcess(rank: number, size: number, hasSelf: boolean): void {
    this.write('MPIR_Process_t', this.dataTop, {
      ...{ mpich_state: 2, rank, size, comm_world: this.world, comm_self: hasSelf ? this.self : 0n },
      ...{ 'attrs.tag_ub': 0xfffffff, 'attrs.appnum': -1, 'attrs.universe': -1, 'attrs.host': -1, 'attrs.io': -2 },
    });
  }

  private writeComm(address: bigint, handle: number, comm: MockComm): void {
    const { members = [0], remoteMembers, references = 1 } = comm;
    const isInter = remoteMembers !== undefined;
    this.write('MPIR_Comm', address, {
      ...{ handle, ref_count: references, name: comm.name ?? '', context_id: comm.contextId ?? ownContext(handle) },
      recvcontext_id: comm.receiveContextId ?? 0,
      ...{ rank: comm.rank ?? 0, local_size: members.length, remote_size: (remoteMembers ?? members).length },
      ...{ comm_kind: isInter ? 1 : 0, errhandler: comm.errhandler ?? 0n, attributes: comm.attributes ?? 0n },
      ...{ local_group: comm.localGroup ?? 0n, local_comm: comm.localComm ?? 0n },
      ...this.processes('map', 'remote_group', isInter ? remoteMembers : members),
      ...(isInter ? this.processes('local_map', 'local_group', members) : {}),
      ...(isInter || this.hasMaps() ? {} : { local_group: this.group(members), remote_group: 0n }),
    });
  }

  private processes(map: string, group: string, members: (number | null)[]): Values {
    if (!this.hasMaps()) return { [group]: this.group(members) };
    // MPIDI_RANK_MAP_MLUT: pairs of table and number; table 0 is the world.
    const pairs = members.flatMap((member) => (member === null ? [1, 0] : [0, member]));
    return { [`dev.ch4.${map}.mode`]: 10, [`dev.ch4.${map}.irreg.lut.lpid`]: this.ints(...pairs) };
  }

  /** A group of 5.0. */
  private group(members: (number | null)[]): bigint {
    const map = this.allocate(8 * members.length);
    this.image.writeU64(map, ...members.map((member) => (member === null ? 1n << 32n : BigInt(member))));
    return this.object('MPIR_Group', {
      handle: 0x88000000,
      size: members.length,
      'pmap.use_map': 1,
      'pmap.u.map': map,
    });
  }
}

/** One that no other communicator has; MPI_COMM_WORLD's is 0. */
function ownContext(handle: number): number {
  return handle >>> 30 === 1 ? 0 : 0x100 + 0x10 * (handle & 0xff);
}
