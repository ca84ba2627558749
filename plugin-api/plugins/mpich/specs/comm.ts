/** Communicators. */
import { chars, i32, pointer, struct, u32, uint } from '../../../struct';

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

export const commNameSpec = struct('MPIR_Comm', { name: chars('name') });
