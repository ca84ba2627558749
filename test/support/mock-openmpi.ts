/** A process of an Open MPI job made by hand: objects written where a release's table has their fields. */
import type { Module } from '../../plugin-api/image';
import type { TypeLayout } from '../../plugin-api/layout';
import { tables } from '../../plugin-api/plugins/openmpi/tables';
import { MockImage } from './mock-image';

type Values = Record<string, bigint | number | string>;

/** What a communicator of the mock holds. Members are numbers of processes of this job, or of job and process. */
export interface MockComm {
  rank?: number;
  flags?: number;
  name?: string;
  contextId?: number;
  members?: Member[];
  remoteMembers?: Member[];
  topology?: bigint;
  attributes?: bigint;
  errhandler?: bigint;
  info?: bigint;
  /** Not entered into Fortran's table, as after MPI_Comm_free. */
  isFreed?: boolean;
  /** A call has not finished it yet. */
  isUnfinished?: boolean;
}

/** `sentinel`: a process that was never talked to. */
type Member = number | { jobid?: number; vpid: number; sentinel?: boolean };

export const jobid = 0x2a290001;
const named = 0x2;
const predefined = 0x4;
const complete = 0x1000;
const libraryStart = 0x7f1000000000n;
const heapStart = 0x555500000000n;
const classNames = [
  'opal_object_t',
  'opal_pointer_array_t',
  'opal_hash_table_t',
  'opal_proc_t',
  'ompi_communicator_t',
  'ompi_group_t',
  'ompi_errhandler_t',
  'ompi_datatype_t',
  'ompi_op_t',
  'mca_topo_base_module_t',
];

export interface MockOptions {
  version?: string;
  /** Whose table the bytes are written by, where the version has none of its own. */
  layoutOf?: string;
  state?: number;
  rank?: number;
  size?: number;
  target?: 'live' | 'core';
  path?: string;
  isStatic?: boolean;
  /** "ob1", "ucx"; without it the library does not tell. */
  messageLayer?: string;
}

export class MockOpenmpi {
  readonly image: MockImage;
  readonly library: Module;
  readonly world: bigint;
  readonly self: bigint;
  readonly nullComm: bigint;
  private readonly table: Readonly<Record<string, TypeLayout>>;
  private libraryTop = libraryStart;
  private heapTop = heapStart;
  private readonly classes = new Map<string, bigint>();
  private readonly commSlots: bigint;
  private readonly commTable: bigint;
  private readonly usedCommSlots = new Set<number>();
  private commCount = 0;

  constructor(options: MockOptions = {}) {
    const { version = '4.1.4', layoutOf = version, state = 2, rank = 1, size = 4 } = options;
    const { path = '/usr/lib/libmpi.so.40.30.4', isStatic = false, target = 'live' } = options;
    this.table = tables[layoutOf]!;
    this.image = new MockImage(target);
    this.image.variables.set('OMPI_COMM_WORLD_RANK', String(rank)).set('OMPI_COMM_WORLD_SIZE', String(size));
    this.library = this.image.load(path, [{ address: libraryStart, size: 0x10000, writable: true }], isStatic);
    this.image.map(heapStart, 0x100000);
    this.image.writeText(this.variable('ompi_version_string', 16), version);
    this.image.writeI32(this.variable('ompi_mpi_state', 4), state);
    for (const name of classNames) if (this.table[name] !== undefined) this.addClass(name, this.layout(name).size);
    const tableSize = this.layout('opal_pointer_array_t').size;
    this.commSlots = this.allocate(8 * 64);
    this.commTable = this.variable('ompi_comm_f_to_c_table', tableSize);
    this.image.writeStruct(this.layout('opal_pointer_array_t'), this.commTable, {
      number_free: 64,
      size: 64,
      addr: this.commSlots,
    });
    const fatal = this.errhandler('MPI_ERRORS_ARE_FATAL', 'ompi_mpi_errors_are_fatal');
    this.errhandler('MPI_ERRORS_RETURN', 'ompi_mpi_errors_return');
    this.object('ompi_datatype_t', { 'super.size': 8, 'super.ub': 8, 'super.true_ub': 8 }, 'ompi_mpi_double');
    if (this.table['ompi_op_t'] !== undefined) this.object('ompi_op_t', { o_name: 'MPI_SUM' }, 'ompi_mpi_op_sum');
    if (options.messageLayer !== undefined) {
      const component = this.layout('mca_pml_base_component_t');
      const selected = this.variable('mca_pml_base_selected_component', component.size);
      this.image.writeStruct(component, selected, { 'pmlm_version.mca_component_name': options.messageLayer });
    }
    const everybody = Array.from({ length: size }, (_, i) => i);
    const builtin = (name: string, members: number[], ownRank: number): MockComm => ({
      ...{ name, members, rank: ownRank, flags: predefined | named, errhandler: fatal },
      ...(name === 'MPI_COMM_WORLD' ? { attributes: this.hashTable([this.attribute(0, 0x7fffffff, 1, 0)]) } : {}),
    });
    this.world = this.comm(builtin('MPI_COMM_WORLD', everybody, rank), 'ompi_mpi_comm_world');
    this.self = this.comm(builtin('MPI_COMM_SELF', [rank], 0), 'ompi_mpi_comm_self');
    this.nullComm = this.comm(builtin('MPI_COMM_NULL', [], 0), 'ompi_mpi_comm_null');
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

  /** A variable of the library. */
  variable(name: string, size: number): bigint {
    const address = this.libraryTop;
    this.libraryTop += BigInt((size + 31) & ~15);
    this.image.define(name, address, this.library, size);
    return address;
  }

  addClass(name: string, size: number, parent = 0n): bigint {
    const address = this.variable(`${name}_class`, 64);
    this.classes.set(name, address);
    this.image.writeStruct(this.layout('opal_class_t'), address, {
      cls_name: this.text(name),
      cls_parent: parent,
      cls_sizeof: size,
    });
    return address;
  }

  text(text: string): bigint {
    const address = this.allocate(text.length * 4 + 1);
    this.image.writeText(address, text);
    return address;
  }

  ints(values: readonly number[]): bigint {
    const address = this.allocate(4 * values.length);
    this.image.writeI32(address, ...values);
    return address;
  }

  pointers(values: readonly bigint[]): bigint {
    const address = this.allocate(8 * values.length);
    this.image.writeU64(address, ...values);
    return address;
  }

  /** An object of the heap with one reference, or in the variable of that name. */
  object(struct: string, values: Values, symbol?: string): bigint {
    const layout = this.layout(struct);
    const address = symbol === undefined ? this.allocate(layout.size) : this.variable(symbol, layout.size);
    // A struct without a class of its own in the mock is none that a handle leads to.
    this.setClass(address, this.classes.get(struct) ?? 0n);
    this.image.writeStruct(this.layout('opal_object_t'), address, { obj_reference_count: 1 });
    this.image.writeStruct(layout, address, values);
    return address;
  }

  setClass(object: bigint, objClass: bigint): void {
    this.image.writeStruct(this.layout('opal_object_t'), object, { obj_class: objClass });
  }

  errhandler(name: string, symbol?: string): bigint {
    return this.object('ompi_errhandler_t', { eh_name: name }, symbol);
  }

  private proc(member: Member): bigint {
    const { vpid, jobid: job = jobid, sentinel = false } = typeof member === 'number' ? { vpid: member } : member;
    if (sentinel) return (BigInt(vpid) << 32n) | (BigInt(job >>> 16) << 16n) | (BigInt(job & 0x7fff) << 1n) | 1n;
    return this.object('opal_proc_t', { 'proc_name.jobid': job, 'proc_name.vpid': vpid });
  }

  group(members: readonly Member[]): bigint {
    const procs = this.pointers(members.map((member) => this.proc(member)));
    return this.object('ompi_group_t', { grp_proc_count: members.length, grp_flags: 0x4, grp_proc_pointers: procs });
  }

  comm(comm: MockComm, symbol?: string): bigint {
    const slot = this.commCount++;
    const layout = this.layout('ompi_communicator_t');
    const { members = [0], remoteMembers, name = '', contextId = slot } = comm;
    const group = this.group(members);
    const is4 = layout.fields['c_contextid']!.size === 4;
    const address = this.object(
      'ompi_communicator_t',
      {
        c_name: layout.fields['c_name']!.size === 8 ? this.text(name) : name,
        [is4 ? 'c_contextid' : 'c_index']: contextId,
        c_my_rank: comm.rank ?? 0,
        c_flags: (comm.flags ?? 0) | (comm.isUnfinished === true ? 0 : complete),
        c_f_to_c_index: slot,
        c_local_group: group,
        c_remote_group: remoteMembers === undefined ? group : this.group(remoteMembers),
        c_keyhash: comm.attributes ?? 0n,
        c_topo: comm.topology ?? 0n,
        error_handler: comm.errhandler ?? 0n,
        'super.s_info': comm.info ?? 0x1000n,
        c_coll: comm.isUnfinished === true ? 0n : 0x1000n,
      },
      symbol,
    );
    if (comm.isFreed !== true) this.enterComm(slot, address);
    return address;
  }

  /** Into Fortran's table, as the library does; 0: it is freed. */
  enterComm(slot: number, comm: bigint): void {
    this.overwriteCommSlot(slot, comm);
    if (comm === 0n) this.usedCommSlots.delete(slot);
    else this.usedCommSlots.add(slot);
    const layout = this.layout('opal_pointer_array_t');
    this.image.writeStruct(layout, this.commTable, { number_free: 64 - this.usedCommSlots.size });
  }

  /** As somebody else may do. */
  overwriteCommSlot(slot: number, comm: bigint): void {
    this.image.writeU64(this.commSlots + BigInt(8 * slot), comm);
  }

  topology(struct: string, values: Values, isReordered = false): bigint {
    const data = this.object(struct, values);
    return this.object('mca_topo_base_module_t', { reorder: isReordered ? 1 : 0, mtc: data });
  }

  /** `setFrom`: 0 a C pointer, 1 a C int, 2 a Fortran INTEGER, 3 an address-sized integer. */
  attribute(keyval: number, value: bigint | number, setFrom: number, sequence: number): bigint {
    const struct = this.table['attribute_key_value_t'] === undefined ? 'attribute_value_t' : 'attribute_key_value_t';
    return this.object(struct, { av_key: keyval, av_value: value, av_set_from: setFrom, av_sequence: sequence });
  }

  /** With a free element between any two. */
  hashTable(values: readonly bigint[]): bigint {
    const element = this.layout('opal_hash_element_t');
    const capacity = 2 * values.length + 1;
    const elements = this.allocate(capacity * element.size);
    values.forEach((value, i) =>
      this.image.writeStruct(element, elements + BigInt((2 * i + 1) * element.size), { valid: 1, value }),
    );
    return this.object('opal_hash_table_t', { ht_table: elements, ht_capacity: capacity, ht_size: values.length });
  }
}
