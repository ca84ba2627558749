/** The structs of MPICH that the plugin reads, and of each the fields. Every shipped table is tested against them. */
import { bool, chars, i32, i64, optional, pointer, struct, u32, uint, type StructSpec } from '../../struct';

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
  rank: i32('rank'),
  localSize: i32('local_size'),
  remoteSize: i32('remote_size'),
  localGroup: pointer('local_group'),
  remoteGroup: pointer('remote_group'),
  kind: i32('comm_kind'),
  name: chars('name'),
  errhandler: pointer('errhandler'),
  attributes: pointer('attributes'),
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

/** 5.0 replaced the linked lrank_to_lpid by pmap. */
export const groupSpec = struct('MPIR_Group', {
  handle: u32('handle'),
  size: i32('size'),
  rank: i32('rank'),
  usesMap: optional(bool('pmap.use_map')),
  map: optional(pointer('pmap.u.map')),
  offset: optional(i64('pmap.u.stride.offset')),
  stride: optional(i64('pmap.u.stride.stride')),
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
  [1, commSpec],
  [2, groupSpec],
  [3, sizeSpec('MPIR_Datatype')],
  [5, sizeSpec('MPIR_Errhandler')],
  [6, sizeSpec('MPIR_Op')],
  [7, sizeSpec('MPIR_Info')],
  [8, sizeSpec('MPIR_Win')],
  [9, keyvalSpec],
  [10, attributeSpec],
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
  ...classSpecs.values(),
];
