/** What each call of MPI that can block waits for. */

/**
 * everyone: nobody can leave before all have come. Of the others some may have done their part and gone on: the root of a
 * broadcast, or who sends nothing.
 */
export type CallKind =
  | { kind: 'receive' | 'send' | 'sendReceive' | 'buffered' | 'window' | 'outside' | 'unknown' }
  | { kind: 'wait'; mode: 'AND' | 'OR' }
  | { kind: 'collective'; everyone: boolean };

const receives = /^mpi_(recv|probe|mprobe)$/;
const sends = /^mpi_(s|r|b)?send$/;
const waits = /^mpi_wait(all|any|some)?$/;
const everyone = new RegExp(
  '^mpi_(barrier|allreduce|allgather|alltoall|reduce_scatter_block|comm_(dup(_with_info)?|create|split(_type)?)|' +
    'cart_(create|sub)|graph_create|dist_graph_create(_adjacent)?|intercomm_merge|' +
    'win_(create(_dynamic)?|allocate(_shared)?|free|fence)|file_open)$',
);
const partial = new RegExp(
  '^mpi_(bcast|gatherv?|scatterv?|reduce|reduce_scatter|(ex)?scan|allgatherv|alltoall[vw]|' +
    'neighbor_(allgatherv?|alltoall[vw]?)|comm_(create_group|free|disconnect)|intercomm_create|file_\\w+)$',
);
const windows = /^mpi_win_(start|complete|post|wait|(un)?lock(_all)?|flush(_local)?(_all)?)$/;
/** They wait for processes that are no part of the job yet, most of them once all members have come. */
const outside = /^mpi_comm_(accept|connect|join|spawn(_multiple)?|create_from_group)$/;
/** They wait for all messages that MPI_Bsend has put into the buffer. */
const buffered = /^mpi_((comm|session)_)?(buffer_detach|buffer_flush|detach_buffer|flush_buffer)$/;

export function kindOfCall(call: string): CallKind {
  const name = call.toLowerCase().replace(/_c$/, '');
  if (receives.test(name)) return { kind: 'receive' };
  if (sends.test(name)) return { kind: 'send' };
  if (/^mpi_sendrecv(_replace)?$/.test(name)) return { kind: 'sendReceive' };
  const [, of] = waits.exec(name) ?? [];
  if (waits.test(name)) return { kind: 'wait', mode: of === 'any' || of === 'some' ? 'OR' : 'AND' };
  if (everyone.test(name)) return { kind: 'collective', everyone: true };
  if (partial.test(name)) return { kind: 'collective', everyone: false };
  if (buffered.test(name)) return { kind: 'buffered' };
  if (windows.test(name)) return { kind: 'window' };
  return { kind: outside.test(name) ? 'outside' : 'unknown' };
}

/** A collective operation that nobody can leave before all have come. */
export function waitsForAll(call: string): boolean {
  const kind = kindOfCall(call);
  return kind.kind === 'collective' && kind.everyone;
}

/** MPI_Bcast and MPI_Bcast_c are one operation. */
export function operationOf(call: string): string {
  return call.endsWith('_c') ? call.slice(0, -2) : call;
}

/** One process says what all of them get, or gets what all of them say. */
export function isRooted(call: string): boolean {
  return /^mpi_(bcast|gatherv?|scatterv?|reduce)$/i.test(operationOf(call));
}

/** The root gets what all of them say. */
export function isGathering(call: string): boolean {
  return /^MPI_(Gatherv?|Reduce)$/.test(operationOf(call));
}

/** Members whose counts disagree with those of others, as 0 does, may leave it though others wait in it. */
export function hasCounts(call: string): boolean {
  return /^MPI_(Neighbor_)?(Bcast|(All)?gatherv?|Scatterv?|(All)?reduce|Alltoall[vw]?|Reduce_scatter(_block)?|(Ex)?scan)$/i.test(
    operationOf(call),
  );
}

export function isNeighborhood(call: string): boolean {
  return /^MPI_Neighbor_/.test(call);
}

/** Each message goes straight from one member to another, and none where there is nothing to give. */
export function givesBlocks(call: string): boolean {
  return isNeighborhood(call) || /^MPI_(Alltoall[vw]|Gatherv|Scatterv)$/.test(operationOf(call));
}

/** Each member exchanges messages with each other one, and says with whom how much. */
export function hasOwnCounts(call: string): boolean {
  return /^MPI_Alltoall[vw]$/.test(operationOf(call));
}

/** The root gives each member a block, and each block goes straight to its member. */
export function spreadsBlocks(call: string): boolean {
  return operationOf(call) === 'MPI_Scatterv';
}

/** Collective for a group of a communicator's members alone, and with a tag. */
export function isOfGroup(call: string): boolean {
  return operationOf(call) === 'MPI_Comm_create_group';
}

/** Calls on windows, of which some are collective. */
export function isOnWindow(call: string): boolean {
  return /^mpi_win_/i.test(call);
}

/** It tells what is in a window, though it may change that as well. */
export function fetchesFromWindow(call: string): boolean {
  return /^MPI_(R?get(_accumulate)?|Fetch_and_op|Compare_and_swap)$/i.test(operationOf(call));
}

/** What goes with such a call, and changes nothing. */
export function servesFetching(call: string): boolean {
  return /^MPI_(Win_((un)?lock(_all)?|flush(_local)?(_all)?|sync)|Wait)$/i.test(operationOf(call));
}

export function isOnFile(call: string): boolean {
  return /^mpi_file_/i.test(call);
}
