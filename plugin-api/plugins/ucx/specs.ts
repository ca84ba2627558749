/** The structs of UCX's libucp that are read, with their fields. Every shipped table is tested against them. */
import { addressOf, i32, optional, pointer, struct, u16, u32, u64, u8, type StructSpec } from '../../struct';

/** One transfer; `send` and `recv` share the same bytes. 1.14 put an iterator in place of buffer, datatype and length. */
export const requestSpec = struct('ucp_request', {
  flags: u32('flags'),
  userData: pointer('user_data'),
  endpoint: pointer('send.ep'),
  sendBuffer: pointer('send.buffer'),
  sendDatatype: u64('send.datatype'),
  sendLength: u64('send.length'),
  sendProtocol: pointer('send.proto_config'),
  sendIteratorClass: i32('send.state.dt_iter.dt_class'),
  sendIteratorLength: u64('send.state.dt_iter.length'),
  sendIteratorBuffer: optional(pointer('send.state.dt_iter.type.contig.buffer')),
  sendIteratorGeneric: optional(pointer('send.state.dt_iter.type.generic.dt_gen')),
  sendTag: u64('send.msg_proto.tag'),
  receiveBuffer: optional(pointer('recv.buffer')),
  receiveDatatype: optional(u64('recv.datatype')),
  receiveLength: optional(u64('recv.length')),
  receiveIteratorClass: optional(i32('recv.dt_iter.dt_class')),
  receiveIteratorLength: optional(u64('recv.dt_iter.length')),
  receiveIteratorBuffer: optional(pointer('recv.dt_iter.type.contig.buffer')),
  receiveIteratorGeneric: optional(pointer('recv.dt_iter.type.generic.dt_gen')),
  worker: pointer('recv.worker'),
  link: addressOf('recv.queue.next'),
  nextLink: pointer('recv.queue.next'),
  receiveTag: u64('recv.tag.tag'),
  receiveTagMask: u64('recv.tag.tag_mask'),
  sequence: u64('recv.tag.sn'),
});

/** How one of the new protocols sends; endpoints have them, by length. */
export const protocolSpec = struct('ucp_proto_config_t', { operation: u8('select_param.op_id_flags') });

export const workerSpec = struct('ucp_worker_t', {
  posted: addressOf('tm.expected.wildcard.queue.head'),
  postedHead: pointer('tm.expected.wildcard.queue.head'),
  postedTail: pointer('tm.expected.wildcard.queue.ptail'),
  postedHash: pointer('tm.expected.hash'),
  unexpected: addressOf('tm.unexpected.all'),
  unexpectedPrevious: pointer('tm.unexpected.all.prev'),
  unexpectedNext: pointer('tm.unexpected.all.next'),
});

/** The same struct: the context that the worker was made in. */
export const workerContextSpec = struct('ucp_worker_t', { context: pointer('context') });

/** An unexpected message; its header, which begins with the tag, lies behind it. */
export const messageSpec = struct('ucp_recv_desc', {
  links: addressOf('tag_list'),
  length: u32('length'),
  headerLength: u32('payload_offset'),
  flags: u16('flags'),
});

export const tagSpec = struct('ucp_tag_hdr_t', { tag: u64('tag') });
export const firstFragmentSpec = struct('ucp_eager_first_hdr_t', { totalLength: u64('total_len') });
export const firstSynchronousSpec = struct('ucp_eager_sync_first_hdr_t', { totalLength: u64('super.total_len') });
export const rendezvousSpec = struct('ucp_rndv_rts_hdr_t', { address: pointer('address'), size: u64('size') });

export const specs: readonly StructSpec[] = [
  requestSpec,
  protocolSpec,
  workerSpec,
  workerContextSpec,
  messageSpec,
  tagSpec,
  firstFragmentSpec,
  firstSynchronousSpec,
  rendezvousSpec,
];
