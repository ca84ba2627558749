/** Requests: what all have in common, and those of each component; statuses; messages of matched probes. */
import { addressOf, bool, chars, i32, optional, pointer, struct, u32, u64 } from '../../../struct';

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

/** The same struct: what is passed to a function when it completes; a persistent request of ucx, of the one that works for it. */
export const completionSpec = struct('ompi_request_t', { data: pointer('req_complete_cb_data') });

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

/** The same struct: what the message layer itself knows of it. */
export const transferStateSpec = struct('mca_pml_base_request_t', {
  /** A buffered send is complete for MPI before its message is sent. */
  isDone: i32('req_pml_complete'),
  /** Rising: of receives in a communicator, of sends to a process in it. */
  sequence: u64('req_sequence'),
});

export const sendSpec = struct('mca_pml_base_send_request_t', { mode: i32('req_send_mode') });

export const ob1SendSpec = struct('mca_pml_ob1_send_request_t', { bytesDelivered: u64('req_bytes_delivered') });

export const ob1ReceiveSpec = struct('mca_pml_ob1_recv_request_t', {
  bytesReceived: u64('req_bytes_received'),
  isMatched: bool('req_match_received'),
});

export const collectiveRequestSpec = struct('ompi_coll_libnbc_request_t', { comm: pointer('comm') });

/** The same struct: what is left to do; 0: it is over. */
export const collectiveScheduleSpec = struct('ompi_coll_libnbc_request_t', { schedule: pointer('schedule') });

/** What a nonblocking collective does, step by step; the steps have any length and name buffers. */
export const scheduleSpec = struct('NBC_Schedule', { size: i32('size'), data: pointer('data') });

/**
 * What MPI_Comm_idup and MPI_Isendrecv hand out, and what the library makes communicators with: a list of steps, and what
 * they work on. The class of that tells which it is.
 */
export const commRequestSpec = struct('ompi_comm_request_t', {
  context: pointer('context'),
  schedule: addressOf('schedule'),
});

/** A step, and the requests that it waits for. */
export const commRequestItemSpec = struct('ompi_comm_request_item_t', {
  requests: addressOf('subreqs'),
  count: i32('subreq_count'),
});

export const idupContextSpec = struct('ompi_comm_idup_with_info_context_t', { comm: pointer('comm') });

/** Since 5.0.0. */
export const isendrecvContextSpec = struct('ompi_isendrecv_context_t', { requests: addressOf('subreq') });

export const isendrecvReplaceContextSpec = struct('ompi_isendrecv_replace_context_t', {
  requests: addressOf('subreq'),
});

/** A partitioned send or receive, since 5.0.0. */
export const partitionedSpec = struct('mca_part_persist_request_t', {
  isFreed: i32('req_free_called'),
  comm: pointer('req_comm'),
  datatype: pointer('req_datatype'),
  buffer: pointer('req_addr'),
  partitions: u64('req_parts'),
  /** In each partition. */
  count: u64('req_count'),
  peer: i32('req_peer'),
  tag: i32('req_tag'),
});

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

/** The message layer that was selected. */
export const pmlComponentSpec = struct('mca_pml_base_component_t', { name: chars('pmlm_version.mca_component_name') });

export const statusSpec = struct('ompi_status_public_t', {
  source: i32('MPI_SOURCE'),
  tag: i32('MPI_TAG'),
  error: i32('MPI_ERROR'),
  cancelled: i32('_cancelled'),
  bytes: u64('_ucount'),
});

export const messageSpec = struct('ompi_message_t', {
  fortranHandle: i32('m_f_to_c_index'),
  comm: pointer('comm'),
  request: pointer('req_ptr'),
  peer: i32('peer'),
  bytes: u64('count'),
});
