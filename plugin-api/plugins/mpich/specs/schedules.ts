/** What nonblocking collectives and MPI_Isendrecv are made of: steps, each a send, a receive or work of the process itself. */
import { i32, optional, pointer, struct } from '../../../struct';

export const scheduleSpec = struct('MPIDU_Sched', {
  entryCount: i32('num_entries'),
  request: pointer('req'),
  entries: pointer('entries'),
  kind: i32('kind'),
  next: pointer('next'),
  previous: pointer('prev'),
});

export const scheduleEntrySpec = struct('MPIDU_Sched_entry', {
  type: i32('type'),
  status: i32('status'),
  sendRequest: pointer('u.send.sreq'),
  receiveRequest: pointer('u.recv.rreq'),
  callState: pointer('u.cb.cb_state'),
});

/** What the steps of MPI_Comm_idup work on. */
export const contextStateSpec = struct('gcn_state', {
  schedule: pointer('s'),
  newComm: pointer('new_comm'),
});

/** The other form: a graph. */
export const graphScheduleSpec = struct('MPII_Genutil_sched_t', {
  request: pointer('req'),
  firstIssued: pointer('issued_head'),
});

/** A step of it. 5.0 dropped the kind ISSEND, behind which all others moved up. */
export const graphVertexSpec = struct('MPII_Genutil_vtx_t', {
  kind: i32('vtx_kind'),
  transferRequest: pointer('u.isend.req'),
  synchronousRequest: optional(pointer('u.issend.req')),
  manyRequests: pointer('u.imcast.req'),
  destinationCount: i32('u.imcast.num_dests'),
  scheduleRequest: pointer('u.sched.req'),
  next: pointer('next'),
});
