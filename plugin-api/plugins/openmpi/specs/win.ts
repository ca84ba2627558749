/** Windows, and what each one-sided component keeps of one. */
import { addressOf, i32, i64, optional, pointer, struct, u16, u64 } from '../../../struct';
import { text } from './fields';

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

/** Apart from the others: what else is known of an epoch does not need them. */
export const oscRdmaGroupSpec = struct('ompi_osc_rdma_module_t', {
  startGroup: optional(pointer('all_sync.sync.pscw.group')),
});
export const oscPt2ptGroupSpec = struct('ompi_osc_pt2pt_module_t', {
  startGroup: optional(pointer('all_sync.sync.pscw.group')),
});
export const oscUcxGroupSpec = struct('ompi_osc_ucx_module_t', {
  startGroup: optional(pointer('start_group')),
  postGroup: optional(pointer('post_group')),
});

/** Where each component counts the messages of MPI_Win_post and MPI_Win_complete. */
export const oscRdmaCountsSpec = struct('ompi_osc_rdma_module_t', { state: optional(pointer('state')) });
export const oscRdmaStateSpec = struct('ompi_osc_rdma_state_t', {
  /** In each slot 1 + the rank of one that has posted, or 0. */
  posts: addressOf('post_peers'),
  completes: i64('num_complete_msgs'),
});
export const oscSmCountsSpec = struct('ompi_osc_sm_module_t', {
  state: optional(pointer('my_node_state')),
  /** For each process an array with a bit for each that has posted. */
  posts: optional(pointer('posts')),
});
export const oscSmStateSpec = struct('ompi_osc_sm_node_state_t', { completes: i32('complete_count') });
