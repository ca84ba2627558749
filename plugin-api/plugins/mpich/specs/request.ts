/** Requests, and what the device ch4 keeps of one. */
import { addressOf, i32, i64, optional, pointer, struct, u32, u8 } from '../../../struct';

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
  schedule: pointer('u.nbc.coll.sched'),
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
  partPeer: pointer('dev.ch4.part_req.am.peer_req_ptr'),
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
  selfMessage: pointer('dev.ch4.self.match_req'),
  message: pointer('dev.ch4.netmod.ucx.message_handler'),
  transfer: optional(pointer('dev.ch4.netmod.ucx.ucp_request')),
  transferOfState: optional(pointer('dev.ch4.netmod.ucx.s.ucp_request')),
  transferForm: optional(i32('dev.ch4.netmod.ucx.s.type')),
  packed: optional(addressOf('dev.ch4.netmod.ucx.s.u.pack')),
});

/** The callbacks of a generalized request. */
export const greqSpec = struct('MPIR_Grequest_fns', { query: pointer('U.C.query_fn') });
