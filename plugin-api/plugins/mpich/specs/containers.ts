/** The pools that objects are in, and what every object begins with. */
import { i32, optional, pointer, struct, u32 } from '../../../struct';

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
  buffer: optional(pointer('bsendbuffer')), // since 4.2
  appnum: i32('attrs.appnum'),
  host: i32('attrs.host'),
  io: i32('attrs.io'),
  lastUsedCode: i32('attrs.lastusedcode'),
  tagUb: i32('attrs.tag_ub'),
  universe: i32('attrs.universe'),
  wtimeIsGlobal: i32('attrs.wtime_is_global'),
});
