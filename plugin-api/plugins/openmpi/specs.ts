/** Every struct of Open MPI that is read, with the fields that are wanted. Tables are trimmed to, and tested against, this. */
import {
  addressOf,
  bool,
  chars,
  type Field,
  i32,
  i64,
  optional,
  pointer,
  struct,
  type StructSpec,
  u16,
  u32,
  u64,
  uint,
} from '../../struct';

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

/** A count that was an int until 5.0 and is a size_t since 6.0; beyond 2^53 rounded, which no bound lets pass. */
const intOrSize = (path: string): Field<number> => ({
  path,
  size: undefined,
  isOptional: false,
  decode: (bytes, offset, size) =>
    size === 8 ? Number(bytes.getBigUint64(offset, true)) : bytes.getInt32(offset, true),
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
  /** Of an intercommunicator only; of others it is anything. */
  localComm: pointer('c_local_comm'),
  pmlComm: pointer('c_pml_comm'),
});

export const groupSpec = struct('ompi_group_t', {
  count: i32('grp_proc_count'),
  rank: i32('grp_my_rank'),
  fortranHandle: i32('grp_f_to_c_index'),
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

export const listSpec = struct('opal_list_t', {
  sentinel: addressOf('opal_list_sentinel'),
  first: pointer('opal_list_sentinel.opal_list_next'),
});

export const listItemSpec = struct('opal_list_item_t', {
  next: pointer('opal_list_next'),
});

export const freeListSpec = struct('opal_free_list_t', {
  allocations: addressOf('fl_allocations'),
  allocated: u64('fl_num_allocated'),
  itemSize: u64('fl_frag_size'),
  alignment: u64('fl_frag_alignment'),
  itemClass: pointer('fl_frag_class'),
});

/** Only its size counts: the items of a free list lie behind one in each allocation. */
export const freeListItemSpec = struct('opal_free_list_item_t', { cache: pointer('ptr') });

export const errhandlerSpec = struct('ompi_errhandler_t', {
  name: chars('eh_name'),
  type: i32('eh_mpi_object_type'),
  language: i32('eh_lang'),
  commFunction: pointer('eh_comm_fn'),
  fileFunction: pointer('eh_file_fn'),
  winFunction: pointer('eh_win_fn'),
  // Since 5.0.0.
  sessionFunction: optional(pointer('eh_instance_fn')),
  fortranFunction: pointer('eh_fort_fn'),
  fortranHandle: i32('eh_f_to_c_index'),
});

export const statusSpec = struct('ompi_status_public_t', {
  source: i32('MPI_SOURCE'),
  tag: i32('MPI_TAG'),
  error: i32('MPI_ERROR'),
  cancelled: i32('_cancelled'),
  bytes: u64('_ucount'),
});

/** OPAL_DATATYPE_FLAG_PREDEFINED moved when the flags became an int, in 6.0. */
const predefinedFlag: Field<boolean> = {
  ...uint('super.flags'),
  decode: (bytes, offset, size) =>
    size === 4 ? (bytes.getUint32(offset, true) & 0x40000) !== 0 : (bytes.getUint16(offset, true) & 0x200) !== 0,
};

export const datatypeSpec = struct('ompi_datatype_t', {
  flags: uint('super.flags'),
  isPredefined: predefinedFlag,
  size: u64('super.size'),
  lb: i64('super.lb'),
  ub: i64('super.ub'),
  trueLb: i64('super.true_lb'),
  trueUb: i64('super.true_ub'),
  fortranHandle: i32('d_f_to_c_index'),
  args: pointer('args'),
  // An address since 6.0.
  name: text('name'),
});

/** The arguments of the constructor that made a datatype. */
export const typeArgumentsSpec = struct('__dt_args', {
  combiner: i32('create_type'),
  integerCount: intOrSize('ci'),
  addressCount: intOrSize('ca'),
  datatypeCount: intOrSize('cd'),
  // Counts of the constructors with MPI_Count, since 6.0.
  largeCount: optional(intOrSize('cl')),
  integers: pointer('i'),
  addresses: pointer('a'),
  datatypes: pointer('d'),
});

export const opSpec = struct('ompi_op_t', {
  name: chars('o_name'),
  flags: u32('o_flags'),
  fortranHandle: i32('o_f_to_c_index'),
  function: pointer('o_func.c_fn'),
});

/** The keys and values are the list that it begins with. */
export const infoSpec = struct('ompi_info_t', {
  fortranHandle: i32('i_f_to_c_index'),
  isFreed: bool('i_freed'),
});

export const infoEntrySpec = struct('opal_info_entry_t', {
  // Text in the entry, and an address of text, until 4.1; addresses of opal_cstring_t since 5.0.0.
  key: text('ie_key'),
  value: pointer('ie_value'),
  // Since 5.0.5; the key tells it before.
  isInternal: optional(bool('ie_internal')),
});

/** Since 5.0.0. */
export const cstringSpec = struct('opal_cstring_t', {
  length: u64('length'),
  text: addressOf('string'),
});

export const requestSpec = struct('ompi_request_t', {
  type: i32('req_type'),
  status: addressOf('req_status'),
  isCancelled: i32('req_status._cancelled'),
  /** 0: pending; 1: complete; else the address of what a thread that waits for it sleeps on: pending. */
  complete: pointer('req_complete'),
  state: i32('req_state'),
  isPersistent: bool('req_persistent'),
  fortranHandle: i32('req_f_to_c_index'),
  /** A communicator or window, by type; not set by all components. */
  object: pointer('req_mpi_object'),
});

/** A point-to-point request of the message layers that are built on the library's own. */
export const pointToPointSpec = struct('mca_pml_base_request_t', {
  isFreed: i32('req_free_called'),
  kind: i32('req_type'),
  comm: pointer('req_comm'),
  datatype: pointer('req_datatype'),
  buffer: pointer('req_addr'),
  count: u64('req_count'),
  peer: i32('req_peer'),
  tag: i32('req_tag'),
});

export const sendSpec = struct('mca_pml_base_send_request_t', { mode: i32('req_send_mode') });
export const ob1SendSpec = struct('mca_pml_ob1_send_request_t', { bytesDelivered: u64('req_bytes_delivered') });
export const ob1ReceiveSpec = struct('mca_pml_ob1_recv_request_t', {
  bytesReceived: u64('req_bytes_received'),
  isMatched: bool('req_match_received'),
});

export const collectiveRequestSpec = struct('ompi_coll_libnbc_request_t', { comm: pointer('comm') });
/** The component of nonblocking collectives. */
export const libnbcSpec = struct('ompi_coll_libnbc_component_t', { active: addressOf('active_requests') });

export const ompioRequestSpec = struct('mca_ompio_request_t', {
  /** In the list of requests that are under way. */
  item: addressOf('req_item'),
  // Since 6.0.
  file: optional(pointer('req_fh')),
});

/** A persistent request of the message layer ucx. */
export const ucxPersistentSpec = struct('mca_pml_ucx_persistent_request_t', {
  flags: u32('flags'),
  buffer: pointer('buffer'),
  count: u64('count'),
  datatype: pointer('ompi_datatype'),
  tag: u64('tag'),
  mode: i32('send.mode'),
  endpoint: pointer('send.ep'),
  mask: u64('recv.tag_mask'),
});

export const ucxModuleSpec = struct('mca_pml_ucx_module_t', { worker: pointer('ucp_worker') });

export const messageSpec = struct('ompi_message_t', {
  fortranHandle: i32('m_f_to_c_index'),
  comm: pointer('comm'),
  request: pointer('req_ptr'),
  peer: i32('peer'),
  bytes: u64('count'),
});

/** The message layer that was selected. */
export const pmlComponentSpec = struct('mca_pml_base_component_t', { name: chars('pmlm_version.mca_component_name') });

export const ob1CommSpec = struct('mca_pml_ob1_comm_t', {
  wildReceives: addressOf('wild_receives'),
  procs: pointer('procs'),
  procCount: u64('num_procs'),
});

export const ob1ProcSpec = struct('mca_pml_ob1_comm_proc_t', { receives: addressOf('specific_receives') });

export const fileSpec = struct('ompi_file_t', {
  comm: pointer('f_comm'),
  filename: pointer('f_filename'),
  amode: i32('f_amode'),
  flags: i32('f_flags'),
  fortranHandle: i32('f_f_to_c_index'),
  errhandler: pointer('error_handler'),
  info: pointer('super.s_info'),
  component: optional(chars('f_io_selected_component.v2_0_0.io_version.mca_component_name')),
  // Since 6.0.
  component3: optional(chars('f_io_selected_component.v3_0_0.io_version.mca_component_name')),
  data: pointer('f_io_selected_data'),
});

const viewFields = (prefix: string) => ({
  offset: optional(i64(`${prefix}f_offset`)),
  disp: optional(i64(`${prefix}f_disp`)),
  etypeSize: optional(u64(`${prefix}f_etype_size`)),
  viewExtent: optional(i64(`${prefix}f_view_extent`)),
  viewSize: optional(u64(`${prefix}f_view_size`)),
  totalBytes: optional(u64(`${prefix}f_total_bytes`)),
});

export const ompioFileSpec = struct('ompio_file_t', {
  comm: pointer('f_comm'),
  etype: pointer('f_etype'),
  /** As it was given; f_filetype is what the component made of it. */
  filetype: pointer('f_orig_filetype'),
  atomicity: i32('f_atomicity'),
  ...viewFields(''),
});

/** The same struct since 6.0, where the view became a struct of its own. */
export const ompioViewSpec = struct('ompio_file_t', viewFields('f_fview.'));

export const winSpec = struct('ompi_win_t', {
  name: text('w_name'),
  group: pointer('w_group'),
  flags: u16('w_flags'),
  flavor: u16('w_flavor'),
  keyHash: pointer('w_keyhash'),
  fortranHandle: i32('w_f_to_c_index'),
  errhandler: pointer('error_handler'),
  info: pointer('super.s_info'),
  module: pointer('w_osc_module'),
});

/** What the module of every one-sided component begins with. */
export const oscModuleSpec = struct('ompi_osc_base_module_t', { free: pointer('osc_free') });

export const oscRdmaSpec = struct('ompi_osc_rdma_module_t', {
  comm: pointer('comm'),
  sync: i32('all_sync.type'),
  exposureGroup: pointer('pw_group'),
  locks: u64('passive_target_access_epoch'),
});

export const oscPt2ptSpec = struct('ompi_osc_pt2pt_module_t', {
  comm: pointer('comm'),
  sync: i32('all_sync.type'),
  exposureGroup: pointer('pw_group'),
  locks: i32('passive_target_access_epoch'),
});

export const oscSmSpec = struct('ompi_osc_sm_module_t', {
  comm: pointer('comm'),
  startGroup: pointer('start_group'),
  postGroup: pointer('post_group'),
  locks: pointer('outstanding_locks'),
});

export const oscUcxSpec = struct('ompi_osc_ucx_module_t', {
  comm: pointer('comm'),
  access: i32('epoch_type.access'),
  exposure: i32('epoch_type.exposure'),
});

/** Sessions are instances; since 5.0.0. */
export const sessionSpec = struct('ompi_instance_t', {
  name: chars('i_name'),
  threadLevel: i32('i_thread_level'),
  fortranHandle: i32('i_f_to_c_index'),
  errhandler: pointer('error_handler'),
});

export const specs: readonly StructSpec[] = [
  objectSpec,
  classSpec,
  pointerArraySpec,
  hashTableSpec,
  hashElementSpec,
  listSpec,
  listItemSpec,
  freeListSpec,
  freeListItemSpec,
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
  statusSpec,
  datatypeSpec,
  typeArgumentsSpec,
  opSpec,
  infoSpec,
  infoEntrySpec,
  cstringSpec,
  requestSpec,
  pointToPointSpec,
  sendSpec,
  ob1SendSpec,
  ob1ReceiveSpec,
  collectiveRequestSpec,
  libnbcSpec,
  ompioRequestSpec,
  ucxPersistentSpec,
  ucxModuleSpec,
  messageSpec,
  pmlComponentSpec,
  ob1CommSpec,
  ob1ProcSpec,
  fileSpec,
  ompioFileSpec,
  ompioViewSpec,
  winSpec,
  oscModuleSpec,
  oscRdmaSpec,
  oscPt2ptSpec,
  oscSmSpec,
  oscUcxSpec,
  sessionSpec,
];
