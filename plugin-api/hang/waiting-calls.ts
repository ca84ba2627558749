/** Which calls of MPI wait for what other processes do. */

const collectives =
  'barrier|bcast|(all)?(gather|reduce)|allgatherv|gatherv|scatterv?|alltoall[vw]?|reduce_scatter(_block)?|(ex)?scan|' +
  'neighbor_(allgatherv?|alltoall[vw]?)';
const pointToPoint = 's?send|rsend|recv|mrecv|sendrecv(_replace)?|m?probe|wait(all|any|some)?';
const communicators =
  'comm_(dup(_with_info)?|create(_group|_from_group)?|split(_type)?|free|disconnect|accept|connect|join|spawn(_multiple)?)|' +
  'intercomm_(create(_from_groups)?|merge)|cart_(create|sub)|graph_create|dist_graph_create(_adjacent)?';
const windows =
  'win_(create(_dynamic)?|allocate(_shared)?|free|fence|start|complete|post|wait|(un)?lock(_all)?|flush(_local)?(_all)?)';
const files =
  'file_(open|close|set_(size|view|atomicity)|preallocate|sync|seek_shared|' +
  '(read|write)(_at)?_all(_begin|_end)?|(read|write)_(ordered(_begin|_end)?|shared))';
const buffers = '((comm|session)_)?(buffer_detach|buffer_flush|detach_buffer|flush_buffer)';
const process = 'init(_thread)?|session_(init|finalize)|abort';

const blocking = new RegExp(
  `^mpi_(${[collectives, pointToPoint, communicators, windows, files, buffers, process].join('|')})(_c)?$`,
  'i',
);

const polling = /^mpi_(test(all|any|some)?|im?probe|request_get_status(_all|_any|_some)?|parrived|win_test)(_c)?$/i;

/** What a thread does that is in this call, "MPI_Recv". Calls that wait for nobody are the program running. */
export function stateInCall(call: string): 'blocked' | 'polling' | 'running' | 'finalizing' {
  if (/^mpi_finalize$/i.test(call)) return 'finalizing';
  if (polling.test(call)) return 'polling';
  return blocking.test(call) ? 'blocked' : 'running';
}
