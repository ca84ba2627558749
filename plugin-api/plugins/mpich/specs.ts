/** The structs of MPICH that the plugin reads, and of each the fields. Every shipped table is tested against them. */
import {
  addressOf,
  bool,
  chars,
  i32,
  i64,
  optional,
  pointer,
  struct,
  u32,
  u8,
  uint,
  type StructSpec,
} from '../../struct';

/** The header that each class of objects has in front of its pool. 4.3 added indirect_block_size. */
export const poolSpec = struct('MPIR_Object_alloc_t', {
  avail: pointer('avail'),
  initialized: i32('initialized'),
  indirect: pointer('indirect'),
  blockCount: i32('indirect_size'),
  blockSize: optional(i32('indirect_block_size')),
  allocated: i32('num_allocated'),
  available: i32('num_avail'),
  kind: i32('kind'),
  size: i32('size'),
  direct: pointer('direct'),
  directCount: i32('direct_size'),
});

/** What every object begins with; `next` links the free ones of a pool. */
export const objectSpec = struct('MPIR_Handle_common', {
  handle: u32('handle'),
  references: i32('ref_count'),
  next: pointer('next'),
});

export const commNameSpec = struct('MPIR_Comm', { name: chars('name') });
export const datatypeNameSpec = struct('MPIR_Datatype', { name: chars('name') });
export const winNameSpec = struct('MPIR_Win', { name: chars('name') });

export const processSpec = struct('MPIR_Process_t', {
  state: i32('mpich_state'),
  rank: i32('rank'),
  size: i32('size'),
  commWorld: pointer('comm_world'),
  commSelf: pointer('comm_self'),
  appnum: i32('attrs.appnum'),
  host: i32('attrs.host'),
  io: i32('attrs.io'),
  lastUsedCode: i32('attrs.lastusedcode'),
  tagUb: i32('attrs.tag_ub'),
  universe: i32('attrs.universe'),
  wtimeIsGlobal: i32('attrs.wtime_is_global'),
});

export const commSpec = struct('MPIR_Comm', {
  handle: u32('handle'),
  references: i32('ref_count'),
  contextId: uint('context_id'), // 16 bits until 4.3, 32 since 5.0
  receiveContextId: uint('recvcontext_id'),
  rank: i32('rank'),
  localSize: i32('local_size'),
  remoteSize: i32('remote_size'),
  localGroup: pointer('local_group'),
  remoteGroup: pointer('remote_group'),
  kind: i32('comm_kind'),
  name: chars('name'),
  errhandler: pointer('errhandler'),
  attributes: pointer('attributes'),
  localComm: pointer('local_comm'),
  nodeComm: pointer('node_comm'),
  nodeRootsComm: pointer('node_roots_comm'),
});

/** Which process a rank is: maps of the device ch4, until 5.0 left that to the groups. */
function rankMapSpec(map: string) {
  return struct('MPIR_Comm', {
    handle: u32('handle'),
    mode: optional(i32(`${map}.mode`)),
    table: optional(i32(`${map}.avtid`)),
    offset: optional(i32(`${map}.reg.stride.offset`)),
    stride: optional(i32(`${map}.reg.stride.stride`)),
    blockSize: optional(i32(`${map}.reg.stride.blocksize`)),
    processes: optional(pointer(`${map}.irreg.lut.lpid`)),
  });
}

/** Of an intracommunicator's only group; of an intercommunicator's remote group. */
export const mapSpec = rankMapSpec('dev.ch4.map');
/** Of an intercommunicator's local group. */
export const localMapSpec = rankMapSpec('dev.ch4.local_map');

/** 5.0 replaced lrank_to_lpid by pmap. */
export const groupSpec = struct('MPIR_Group', {
  handle: u32('handle'),
  size: i32('size'),
  rank: i32('rank'),
  members: optional(pointer('lrank_to_lpid')),
  usesMap: optional(bool('pmap.use_map')),
  map: optional(pointer('pmap.u.map')),
  offset: optional(i64('pmap.u.stride.offset')),
  stride: optional(i64('pmap.u.stride.stride')),
});

export const groupMemberSpec = struct('MPII_Group_pmap_t', { process: i64('lpid') });

export const datatypeSpec = struct('MPIR_Datatype', {
  handle: u32('handle'),
  size: i64('size'),
  extent: i64('extent'),
  lb: i64('lb'),
  trueUb: i64('true_ub'),
  trueLb: i64('true_lb'),
  name: chars('name'),
  isCommitted: i32('is_committed'),
  isContiguous: i32('is_contig'),
  contents: pointer('contents'),
});

/** The arguments of a datatype's constructor lie behind it. */
export const contentsSpec = struct('MPIR_Datatype_contents', {
  combiner: i32('combiner'),
  integers: i64('nr_ints'),
  addresses: i64('nr_aints'),
  counts: i64('nr_counts'),
  datatypes: i64('nr_types'),
});

/** 4.3 added destructor_fn, and with it functions whose language a binding knows. */
export const errhandlerSpec = struct('MPIR_Errhandler', {
  handle: u32('handle'),
  references: i32('ref_count'),
  language: i32('language'),
  kind: i32('kind'),
  function: pointer('errfn'),
  destructor: optional(pointer('destructor_fn')),
});

/** 4.3 replaced the kinds that do not commute by is_commute, and dropped the language. */
export const opSpec = struct('MPIR_Op', {
  handle: u32('handle'),
  kind: i32('kind'),
  language: optional(i32('language')),
  isCommutative: optional(i32('is_commute')),
  function: pointer('function'),
});

/** A list of objects until 4.0, an array since 4.1. */
export const infoSpec = struct('MPIR_Info', {
  handle: u32('handle'),
  next: optional(pointer('next')),
  key: optional(pointer('key')),
  value: optional(pointer('value')),
  entries: optional(pointer('entries')),
  count: optional(i32('size')),
});

/** Since 4.1. */
export const infoEntrySpec = struct('info_entry', { key: pointer('key'), value: pointer('value') });

export const sessionSpec = struct('MPIR_Session', {
  handle: u32('handle'),
  errhandler: pointer('errhandler'),
  threadLevel: optional(i32('thread_level')), // until 4.3
});

/** Which of the fields `u` are meant depends on the kind. 4.1 added a kind, and with it u.enqueue. */
export const requestSpec = struct('MPIR_Request', {
  handle: u32('handle'),
  references: i32('ref_count'),
  kind: i32('kind'),
  completion: pointer('cc_ptr'),
  comm: pointer('comm'),
  status: addressOf('status'),
  realRequest: pointer('u.persist.real_request'),
  greqFunctions: pointer('u.ureq.greq_fns'),
  win: pointer('u.rma.win'),
  partitions: i32('u.part.partitions'),
  isPartActive: i32('u.part.active_flag'),
  enqueued: optional(u8('u.enqueue.is_send')),
});

/** What the device ch4 keeps of a request: its fields depend on the way that the transfer goes. Since 4.1 it tells what it packs. */
export const deviceRequestSpec = struct('MPIR_Request', {
  persistentMode: i32('dev.ch4.preq.p_type'),
  persistentBuffer: pointer('dev.ch4.preq.buffer'),
  persistentCount: i64('dev.ch4.preq.count'),
  persistentPeer: i32('dev.ch4.preq.rank'),
  persistentTag: i32('dev.ch4.preq.tag'),
  persistentDatatype: u32('dev.ch4.preq.datatype'),
  partBuffer: pointer('dev.ch4.part_req.buffer'),
  partCount: i64('dev.ch4.part_req.count'),
  partDatatype: u32('dev.ch4.part_req.datatype'),
  partDestination: i32('dev.ch4.part_req.u.send.dest'),
  partSource: optional(i32('dev.ch4.part_req.u.recv.source')),
  partTag: optional(i32('dev.ch4.part_req.u.recv.tag')),
  selfBuffer: pointer('dev.ch4.self.buf'),
  selfCount: i64('dev.ch4.self.count'),
  selfDatatype: u32('dev.ch4.self.datatype'),
  selfTag: i32('dev.ch4.self.tag'),
  selfContext: i32('dev.ch4.self.context_id'),
  message: pointer('dev.ch4.netmod.ucx.message_handler'),
  transfer: optional(pointer('dev.ch4.netmod.ucx.ucp_request')),
  transferOfState: optional(pointer('dev.ch4.netmod.ucx.s.ucp_request')),
  transferForm: optional(i32('dev.ch4.netmod.ucx.s.type')),
  packed: optional(addressOf('dev.ch4.netmod.ucx.s.u.pack')),
});

/** The callbacks of a generalized request. */
export const greqSpec = struct('MPIR_Grequest_fns', { query: pointer('U.C.query_fn') });

/** One process in the device's table of addresses. */
export const addressEntrySpec = struct('MPIDI_av_entry_t', { endpoint: addressOf('netmod.ucx.dest') });

export const winSpec = struct('MPIR_Win', {
  handle: u32('handle'),
  errhandler: pointer('errhandler'),
  base: pointer('base'),
  size: i64('size'),
  dispUnit: i32('disp_unit'),
  comm: pointer('comm_ptr'),
  name: chars('name'),
  flavor: i32('create_flavor'),
  model: i32('model'),
});

/** What the device ch4 keeps of a window. */
export const deviceWinSpec = struct('MPIR_Win', {
  access: i32('dev.am.sync.access_epoch_type'),
  exposure: i32('dev.am.sync.exposure_epoch_type'),
  noLocks: i32('dev.am.info_args.no_locks'),
});

/** ROMIO's struct: an MPI_File is its address. */
export const fileSpec = struct('ADIOI_FileD', {
  cookie: i32('cookie'),
  position: i64('fp_ind'),
  comm: u32('comm'),
  isOpen: i32('is_open'),
  fileName: pointer('filename'),
  accessMode: i32('orig_access_mode'),
  disp: i64('disp'),
  etype: u32('etype'),
  filetype: u32('filetype'),
  etypeSize: i64('etype_size'),
  info: u32('info'),
  isAtomic: i32('atomicity'),
  fortranHandle: i32('fortran_handle'),
  errhandler: u32('err_handler'),
});

export const attributeSpec = struct('MPIR_Attribute', {
  handle: u32('handle'),
  keyval: pointer('keyval'),
  next: pointer('next'),
  type: i32('attrType'),
  value: i64('value'),
});

export const keyvalSpec = struct('MPII_Keyval', {
  handle: u32('handle'),
  kind: i32('kind'),
  copyFunction: pointer('copyfn.user_function'),
  deleteFunction: pointer('delfn.user_function'),
});

export const topologySpec = struct('MPIR_Topology', {
  kind: i32('kind'),
  graphNodes: i32('topo.graph.nnodes'),
  graphEdges: i32('topo.graph.nedges'),
  graphIndex: pointer('topo.graph.index'),
  graphEdgeList: pointer('topo.graph.edges'),
  cartNodes: i32('topo.cart.nnodes'),
  cartDimensions: i32('topo.cart.ndims'),
  cartDims: pointer('topo.cart.dims'),
  cartPeriods: pointer('topo.cart.periodic'),
  cartPosition: pointer('topo.cart.position'),
  sourceCount: i32('topo.dist_graph.indegree'),
  sources: pointer('topo.dist_graph.in'),
  sourceWeights: pointer('topo.dist_graph.in_weights'),
  destinationCount: i32('topo.dist_graph.outdegree'),
  destinations: pointer('topo.dist_graph.out'),
  destinationWeights: pointer('topo.dist_graph.out_weights'),
  isWeighted: i32('topo.dist_graph.is_weighted'),
});

/** Only what the size of a pool's elements is checked against. */
function sizeSpec(name: string) {
  return struct(name, { handle: u32('handle') });
}

/** The classes of objects by their number in pool headers and handles, as far as every release since 4.0 has them. */
export const classSpecs: ReadonlyMap<number, StructSpec> = new Map<number, StructSpec>([
  [1, sizeSpec('MPIR_Comm')],
  [2, sizeSpec('MPIR_Group')],
  [3, sizeSpec('MPIR_Datatype')],
  [5, sizeSpec('MPIR_Errhandler')],
  [6, sizeSpec('MPIR_Op')],
  [7, sizeSpec('MPIR_Info')],
  [8, sizeSpec('MPIR_Win')],
  [9, sizeSpec('MPII_Keyval')],
  [10, sizeSpec('MPIR_Attribute')],
  [11, sizeSpec('MPIR_Request')],
  [13, sizeSpec('MPIR_Grequest_class')],
  [14, sizeSpec('MPIR_Session')],
]);

export const specs: readonly StructSpec[] = [
  poolSpec,
  objectSpec,
  processSpec,
  mapSpec,
  localMapSpec,
  topologySpec,
  groupMemberSpec,
  contentsSpec,
  infoEntrySpec,
  fileSpec,
  greqSpec,
  addressEntrySpec,
  commSpec,
  commNameSpec,
  groupSpec,
  datatypeSpec,
  datatypeNameSpec,
  errhandlerSpec,
  opSpec,
  infoSpec,
  sessionSpec,
  winSpec,
  winNameSpec,
  deviceWinSpec,
  requestSpec,
  deviceRequestSpec,
  attributeSpec,
  keyvalSpec,
  ...classSpecs.values(),
];
