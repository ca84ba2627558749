/** Communicators, and what the message layer ob1 keeps of one. */
import { addressOf, i32, optional, pointer, struct, u16, u32, u64, u8 } from '../../../struct';
import { text, u32IfPlain, wordIfStruct } from './fields';

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
  /** Set for an intercommunicator only; for others it is anything. */
  localComm: pointer('c_local_comm'),
  pmlComm: pointer('c_pml_comm'),
  /** Set when its members have agreed on it, as the last part of it: until then NULL. */
  collectives: pointer('c_coll'),
});

/** The same struct: only who compares processes needs it. */
export const commContextSpec = struct('ompi_communicator_t', { agreedContext: wordIfStruct('c_contextid') });

export const ob1CommSpec = struct('mca_pml_ob1_comm_t', {
  wildReceives: addressOf('wild_receives'),
  procs: pointer('procs'),
  procCount: u64('num_procs'),
});

export const ob1ProcSpec = struct('mca_pml_ob1_comm_proc_t', { receives: addressOf('specific_receives') });

/** The same struct: what has come from this peer and no receive was posted for. */
export const ob1UnexpectedSpec = struct('mca_pml_ob1_comm_proc_t', { unexpected: addressOf('unexpected_frags') });

/** The same struct: the number of the next message from this peer, and of the last one to it. */
export const ob1SequenceExpectedSpec = struct('mca_pml_ob1_comm_proc_t', { expected: u16('expected_sequence') });
export const ob1SequenceSentSpec = struct('mca_pml_ob1_comm_proc_t', { sent: i32('send_sequence') });

/** A message there; `announced` is the length in the header of one whose data is still with the sender. */
export const ob1FragmentSpec = struct('mca_pml_ob1_recv_frag_t', {
  headerType: u8('hdr.hdr_common.hdr_type'),
  source: i32('hdr.hdr_match.hdr_src'),
  tag: i32('hdr.hdr_match.hdr_tag'),
  announced: u64('hdr.hdr_rndv.hdr_msg_length'),
  segmentCount: u64('num_segments'),
  segments: addressOf('segments'),
});

/** A piece of such a message, the header included. */
export const segmentSpec = struct('mca_btl_base_segment_t', { length: u64('seg_len') });
