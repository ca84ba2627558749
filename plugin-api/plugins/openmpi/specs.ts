/** Every struct of Open MPI that is read, with the fields that are wanted. Tables are trimmed to, and tested against, this. */
import { bool, chars, type Field, i32, optional, pointer, struct, type StructSpec, u32, u64 } from '../../struct';

/** A name that is an inline char array (4.x) or a char pointer (since 5.0.0): its text, or the address of its text. */
const text = (path: string): Field<string | bigint> => {
  const inline = chars(path);
  return {
    ...inline,
    decode: (bytes, offset, size, address) =>
      size === 8 ? bytes.getBigUint64(offset, true) : inline.decode(bytes, offset, size, address),
  };
};

/** A 32-bit value that later became a struct: undefined where it has another size. */
const u32IfPlain = (path: string): Field<number | undefined> => ({
  path,
  size: undefined,
  isOptional: false,
  decode: (bytes, offset, size) => (size === 4 ? bytes.getUint32(offset, true) : undefined),
});

/** What every MPI object begins with. */
export const objectSpec = struct('opal_object_t', {
  objClass: pointer('obj_class'),
  referenceCount: i32('obj_reference_count'),
});

export const classSpec = struct('opal_class_t', {
  name: pointer('cls_name'),
  parent: pointer('cls_parent'),
  sizeOf: u64('cls_sizeof'),
});

export const pointerArraySpec = struct('opal_pointer_array_t', { size: i32('size'), items: pointer('addr') });

export const hashTableSpec = struct('opal_hash_table_t', {
  elements: pointer('ht_table'),
  capacity: u64('ht_capacity'),
  used: u64('ht_size'),
});

export const hashElementSpec = struct('opal_hash_element_t', {
  isValid: i32('valid'),
  value: pointer('value'),
});

export const commSpec = struct('ompi_communicator_t', {
  name: text('c_name'),
  // A 32-bit number until 4.1; since 5.0.0 a 128-bit one, with the local number in c_index.
  contextId: u32IfPlain('c_contextid'),
  index: optional(u32('c_index')),
  rank: i32('c_my_rank'),
  flags: u32('c_flags'),
  fortranHandle: i32('c_f_to_c_index'),
  localGroup: pointer('c_local_group'),
  remoteGroup: pointer('c_remote_group'),
  keyHash: pointer('c_keyhash'),
  topology: pointer('c_topo'),
  errhandler: pointer('error_handler'),
  info: pointer('super.s_info'),
});

export const groupSpec = struct('ompi_group_t', {
  count: i32('grp_proc_count'),
  flags: u32('grp_flags'),
  procs: pointer('grp_proc_pointers'),
});

/** The base of ompi_proc_t, whose own size depends on the components that were built. */
export const procSpec = struct('opal_proc_t', {
  jobid: u32('proc_name.jobid'),
  vpid: u32('proc_name.vpid'),
});

const attributeFields = {
  keyval: i32('av_key'),
  value: u64('av_value'),
  setFrom: i32('av_set_from'),
  sequence: i32('av_sequence'),
};

/** Since 4.1.4 (pull request 10357), where the value became a union. */
export const attributeSpec = struct('attribute_key_value_t', attributeFields);
/** Until 4.1.3. Later releases have the name for that union. */
export const oldAttributeSpec = struct('attribute_value_t', attributeFields);

export const topologySpec = struct('mca_topo_base_module_t', {
  isReordered: bool('reorder'),
  data: pointer('mtc'),
});

export const cartSpec = struct('mca_topo_base_comm_cart_2_2_0_t', {
  dimensions: i32('ndims'),
  dims: pointer('dims'),
  periods: pointer('periods'),
  coords: pointer('coords'),
});

export const graphSpec = struct('mca_topo_base_comm_graph_2_2_0_t', {
  nodes: i32('nnodes'),
  index: pointer('index'),
  edges: pointer('edges'),
});

export const distGraphSpec = struct('mca_topo_base_comm_dist_graph_2_2_0_t', {
  sources: pointer('in'),
  sourceWeights: pointer('inw'),
  destinations: pointer('out'),
  destinationWeights: pointer('outw'),
  indegree: i32('indegree'),
  outdegree: i32('outdegree'),
  isWeighted: bool('weighted'),
});

export const errhandlerSpec = struct('ompi_errhandler_t', { name: chars('eh_name') });

export const specs: readonly StructSpec[] = [
  objectSpec,
  classSpec,
  pointerArraySpec,
  hashTableSpec,
  hashElementSpec,
  commSpec,
  groupSpec,
  procSpec,
  attributeSpec,
  oldAttributeSpec,
  topologySpec,
  cartSpec,
  graphSpec,
  distGraphSpec,
  errhandlerSpec,
];
