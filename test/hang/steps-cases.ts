/**
 * Hangs and programs that go on as text for programs/steps.c, which says what the words mean: each call of MPI that can block,
 * and variants of each mistake. What is wrong follows from the text.
 */
import type { HangType } from '../../plugin-api/hang/hang-records';
import type { HangCase } from './hang-case';

type Steps = readonly [steps: string, type: HangType, culprits: readonly number[]];

const all = [0, 1, 2, 3];

/* Some of them end with one of the libraries, which does not wait there: they are reported, and not counted. */

/** Collective operations that one rank does not call: it finalizes, and the others, or some of them, never leave. */
const missing: readonly (readonly [call: string, rank: number])[] = [
  ...(['alltoallw', 'neighbor_allgather@r', 'neighbor_allgatherv@r', 'neighbor_alltoall@r'] as const).map(
    (call) => [call, 2] as const,
  ),
  ['neighbor_alltoallv@r', 1],
  ['neighbor_alltoallw@r', 3],
  ['igather 0; waitall', 1],
  ['igatherv 0; waitall', 2],
  ['iscatter 1; waitall', 1],
  ['iscatterv 0; waitall', 0],
  ['ireduce 2; waitall', 3],
  ['iallgather; waitall', 0],
  ['iallgatherv; waitall', 3],
  ['ialltoall; waitall', 1],
  ['ialltoallv; waitall', 2],
  ['ialltoallw; waitall', 0],
  ['iscan; waitall', 0],
  ['iexscan; waitall', 0],
  ['ireduce_scatter; waitall', 1],
  ['ireduce_scatter_block; waitall', 2],
  ['ineighbor_alltoall@r; waitall', 3],
  ['ineighbor_allgather@r; waitall', 0],
  ['idup; waitall', 2],
  ['dup_with_info', 1],
  ['split_type', 3],
  ['create_group 0 3 7', 1],
  ['cart_sub', 2],
  ['graph_create', 3],
  ['dist_graph_create', 0],
  ['dist_graph_create_adjacent', 1],
  ['intercomm_create 5', 2],
  ['intercomm_merge', 3],
  ['spawn', 2],
  ['disconnect', 1],
  ['win_dynamic', 0],
  ['win_allocate', 1],
  ['win_shared', 2],
];

const ofFiles = [
  ...['file_close', 'file_set_view', 'file_set_size', 'file_preallocate'],
  ...['file_write_ordered', 'file_read_ordered', 'file_seek_shared', 'file_sync; barrier'],
  'file_iread_all; waitall',
];

const hangs: readonly Steps[] = [
  ...missing.map(([call, rank]): Steps => {
    const others = all.filter((other) => other !== rank).join();
    return [`${others}: ${call}`, 'collective-missing-rank', [rank]];
  }),
  ...ofFiles.map((call): Steps => [`all: file_open | 0-2: ${call}`, 'collective-missing-rank', [3]]),
  // Roots
  ['all: count 300000 | 0-2: bcast 0; barrier | 3: bcast 1; barrier', 'root-mismatch', [3]],
  ['0,2-3: reduce 0; barrier | 1: reduce 2; barrier', 'root-mismatch', [1]],
  ['all: count 300000 | 0,2-3: reduce 0; barrier | 1: reduce 2; barrier', 'root-mismatch', [1]],
  ['all: count 100000 | 0-2: gather 0; barrier | 3: gather 3; barrier', 'root-mismatch', [3]],
  ['all: count 100000 | 1-3: scatter 1; barrier | 0: scatter 0; barrier', 'root-mismatch', [0]],
  // Roots between groups: -1 is MPI_ROOT, -2 MPI_PROC_NULL
  ['all: count 100000; scatterv@i 1', 'root-mismatch', all],
  ['0: count 100000; gather@i -1 | 1: gather@i -2 | 2-3: count 100000; scatter@i 0', 'collective-order-mismatch', [0]],
  ['0: bcast@i -1; recv 3 1 | 1: bcast@i -2; barrier | 2-3: bcast@i 0; barrier', 'collective-missing-rank', [0]],
  ['0-2: alltoall@i | 3: recv 0 3', 'collective-missing-rank', [3]],
  ['0-2: allgather@i | 3: recv 0 3', 'collective-missing-rank', [3]],
  ['0: gather@i -1 | 1: gather@i -2; recv 3 1 | 2: gather@i 0 | 3: recv 1 1', 'p2p-cycle', [1, 3]],
  // Order
  ['0-2: barrier; bcast 0 | 3: bcast 0; barrier', 'collective-order-mismatch', [3]],
  ['0,2-3: allreduce; reduce 0 | 1: reduce 0; allreduce', 'collective-order-mismatch', [1]],
  ['0-1: barrier; allreduce | 2-3: allreduce; barrier', 'collective-order-mismatch', all],
  ['0-2: split 0; barrier | 3: barrier; split 0', 'collective-order-mismatch', [3]],
  ['0: allgather@a; barrier@a | 1-3: barrier@a; allgather@a', 'collective-order-mismatch', [0]],
  ['0-2: allreduce; alltoall | 3: alltoall; allreduce', 'collective-order-mismatch', [3]],
  ['0-2: dup; barrier | 3: barrier; dup', 'collective-order-mismatch', [3]],
  ['0-1: spawn | 2-3: allreduce', 'collective-order-mismatch', all],
  ['1: spawn | 0,2-3: allreduce', 'collective-order-mismatch', [1]],
  ['2: connect | 0-1,3: barrier', 'collective-order-mismatch', [2]],
  ['0-1,3: create 0 2 | 2: barrier', 'collective-order-mismatch', [2]],
  ['0-1: create_group 0 2 7 | 2-3: barrier', 'collective-order-mismatch', [2]],
  ['0: intercomm_create 5 | 1: barrier | 2-3: intercomm_create 5', 'collective-missing-rank', [0, 1]],
  // Counts of 0
  ['0-1,3: count 1000; gather 0; barrier | 2: count 0; gather 0; barrier', 'other', [0, 2]],
  // Communicators
  ['0-1: barrier@a; barrier@b | 2-3: barrier@b; barrier@a', 'comm-mismatch', all],
  ['0-2: allreduce@a; allreduce@b | 3: allreduce@b; allreduce@a', 'comm-mismatch', [3]],
  ['0-2: bcast@a 3; barrier | 3: bcast@b 3; barrier', 'comm-mismatch', [3]],
  ['0: send@a 1 5 | 1: recv 0 5', 'comm-mismatch', [0, 1]],
  ['0: ssend@a 1 5 | 1: recv@b 0 5', 'comm-mismatch', [0, 1]],
  ['2: count 300000; send@a 0 5 | 0: count 300000; recv@b 2 5', 'comm-mismatch', [0, 2]],
  ['0: irecv@a 3 5; waitall | 3: isend@b 0 5; waitall; barrier | 1-2: barrier', 'comm-mismatch', [0, 3]],
  ['0: recv@o 1 5 | 2: ssend 0 5', 'comm-mismatch', [0, 2]],
  // Tags
  ['0: send 1 5; recv 1 6 | 1: recv 0 6; send 0 6', 'tag-mismatch', [0, 1]],
  ['1: count 300000; send 2 7 | 2: count 300000; recv 1 8 | all: barrier', 'tag-mismatch', [1, 2]],
  ['0: irecv 1 3; irecv 2 4; waitall | 1: send 0 3 | 2: send 0 5', 'tag-mismatch', [0, 2]],
  ['0: issend 3 9; waitall | 3: recv 0 10', 'tag-mismatch', [0, 3]],
  ['0: recv -1 4 | 2: send 0 44 | all: barrier', 'tag-mismatch', [0, 2]],
  ['all: sendrecv 1 1 1 | 0: recv 3 1', 'p2p-missing-partner', [1]],
  ['1: mprobe 2 8; mrecv | 2: ssend 1 9', 'tag-mismatch', [1, 2]],
  ['0: recv_init 1 3; startall; waitall | 1: send_init 0 4; startall; waitall', 'tag-mismatch', [0, 1]],
  [
    '2: send 0 2; send 1 1; barrier | 0: recv 2 1; barrier | 1: recv 2 2; barrier | 3: barrier',
    'tag-mismatch',
    [0, 1, 2],
  ],
  ['0-1: intercomm_create 5 | 2-3: intercomm_create 6', 'tag-mismatch', [0, 2]],
  ['0-1: create_group 0 2 7 | 2: create_group 0 2 8 | 3: barrier', 'tag-mismatch', [2]],
  // Partners
  ['3: recv 0 1 | all: barrier', 'collective-missing-rank', [3]],
  ['0: recv 1 1; recv 1 1 | 1: send 0 1', 'p2p-missing-partner', [1]],
  ['0: ssend 2 1 | 1,3: barrier@o', 'p2p-missing-partner', [2]],
  ['0: count 300000; send 1 1; send 1 1 | 1: count 300000; recv 0 1', 'p2p-missing-partner', [1]],
  ['0: bsend 1 1; count 100000; bsend 1 1; detach', 'p2p-missing-partner', [1]],
  ['0: irecv 1 1; irecv 2 1; irecv 3 1; waitall | 1: send 0 1 | 3: send 0 1', 'p2p-missing-partner', [2]],
  ['1-3: ssend 0 1 | 0: recv -1 1; recv -1 1', 'p2p-missing-partner', [0]],
  ['2: recv_init 3 1; start 0; wait 0', 'p2p-missing-partner', [3]],
  ['0: precv 1 5; waitall', 'p2p-missing-partner', [1]],
  // Cycles
  ['0: count 300000; send 1 1; recv 1 1 | 1: count 300000; send 0 1; recv 0 1', 'p2p-cycle', [0, 1]],
  ['0: recv 1 1; send 2 1 | 1: recv 2 1; send 0 1 | 2: recv 0 1; send 1 1 | 3: recv 0 2', 'p2p-cycle', [0, 1, 2]],
  ['0: ssend 1 1 | 1: ssend 0 1 | 2-3: barrier@h', 'p2p-cycle', [0, 1]],
  ['0: irecv 1 1; waitall; send 1 1 | 1: irecv 0 1; waitall; send 0 1 | all: allreduce', 'p2p-cycle', [0, 1]],
  ['0: probe 1 1 | 1: recv 0 1 | all: barrier', 'p2p-cycle', [0, 1]],
  ['0: recv 1 1 | 1: ssend 2 1 | 2: recv 0 1; recv 1 1', 'p2p-cycle', [0, 1, 2]],
  ['0: issend 1 1; waitall; recv 1 2 | 1: issend 0 2; waitall; recv 0 1', 'p2p-cycle', [0, 1]],
  // Collectives and messages
  ['0: recv 1 1; barrier | 1: barrier; send 0 1 | 2-3: barrier', 'collective-missing-rank', [0]],
  ['0: ssend 1 1; bcast 0 | 1-3: bcast 0; recv 0 1', 'collective-missing-rank', [0]],
  ['0-1: barrier@h; allreduce | 2: allreduce | 3: recv 2 4; allreduce', 'collective-missing-rank', [3]],
  ['0: barrier; barrier | 1-3: barrier', 'collective-missing-rank', [1, 2, 3]],
  ['0-1: create_group 0 2 7 | 2: recv 0 8', 'collective-missing-rank', [2]],
  ['all: file_open | 0-2: file_write_at_all; file_close | 3: file_close', 'collective-order-mismatch', [3]],
  // Windows
  ['0: post 1 2; win_wait | 1: access 0 0; complete; barrier | 2: access 0 0; recv 0 1 | 3: barrier', 'rma', [2]],
  ['1: access 2 2; put 2; complete | 2: recv 3 1', 'p2p-missing-partner', [3]],
  ['0: access 1 2; put 1; complete | 1: post 0 0; win_wait | 2-3: barrier', 'rma', [2]],
  ['2: post 1 1; win_wait | 1: barrier | 0,3: barrier', 'rma', [1]],
  ['0: lock 1; put 1; barrier; unlock 1 | 2: lock 1; put 1; unlock 1; barrier | 1,3: barrier', 'rma', [0]],
  ['0-2: fence; fence | 3: fence', 'rma', [3]],
  ['0: access 1 3; complete | 1-2: post 0 0; barrier | 3: barrier', 'rma', [3]],
  ['0: access 1 2; complete; barrier | 1: post 0 0; win_wait; barrier | 2-3: barrier', 'rma', [2]],
  ['0: lock_all; barrier; unlock_all | 2: lock 0; put 0; unlock 0; barrier | 1,3: barrier', 'rma', [0]],
  ['0: post 1 3; win_wait | 1-2: access 0 0; put 0; complete; barrier | 3: barrier', 'rma', [3]],
  ['0: post 1 3; win_wait | 1: access 0 0; complete; barrier | 2: access 0 0; recv 3 1 | 3: barrier', 'rma', [2, 3]],
  // Threads
  ['2: thread; recv 2 5 | 2: recv 2 6', 'threads', [2]],
  // Persistent and partitioned
  ['0: recv 1 1 | 1: send_init 0 1', 'other', [1]],
  ['0: recv_init 1 1; startall; waitall | 1: ssend_init 0 1', 'other', [1]],
  ['0: precv 1 5; waitall | 1: psend 0 5; waitall', 'other', [1]],
];

const goOn: readonly string[] = [
  'all: forever; barrier; bcast 1; reduce 2',
  '0: sleep | all: barrier',
  '3: compute | 0-2: win_free',
  '3: thread; sleep 20000; send 0 1 | 0: recv 3 1 | all: barrier',
  '0: forever; recv -1 -1 | 1: sleep | 2-3: barrier',
  '0: forever; iprobe 1 1 | 1-3: barrier',
  '0: irecv 1 1; test 0 | 1-3: barrier',
  '1: grequest; thread; sleep 20000; grequest_complete 0 | 1: waitall | all: barrier',
  '0: forever; lock 1; accumulate 1; unlock 1 | 1: compute | 2-3: recv 1 1',
  'all: forever; sendrecv 3 3 1 | 0: compute',
  '0: forever; sendrecv_replace 0 0 1 | 1-3: barrier',
  '0-1: forever; barrier@h | 2-3: recv 0 1',
  '2: compute | 0-1: intercomm_merge | 3: intercomm_merge',
  '0: access 1 1; put 1; complete | 1: compute',
  '0: post 1 2; win_wait | 1: access 0 0; complete | 2: compute',
  '0: access 1 2; complete | 1: post 0 0; win_wait | 2: compute | 3: recv 0 1',
  '0-2: file_open | 3: sleep',
  '3: sleep | 0-2: spawn',
  '0: accept@s',
  'all: open_port | 1: connect@s',
  '0: post 1 1; win_test | 1: compute',
  '0: issend 1 1; waitany | 1: compute',
  'all: forever; ibcast 0; ibarrier; waitall',
];

const sparse = '2: issend 3 9; test 0 | 3: iprobe 2 8 | 0-1: ibarrier; test 0';
const untaken = /Rank 2's message with tag 9 on MPI_COMM_WORLD lies at rank 3/;

/** Ranks that ask for ever, with all that may lie between two questions: it is not known whether they go on. */
const polling: readonly (readonly [steps: string, says: RegExp])[] = [
  [sparse, /lies at rank 3, which asks for tag 8\./],
  [`all: pause 1 500 | ${sparse}`, untaken],
  [`all: pause 2 300000 | ${sparse}`, untaken],
  [`all: pause 3 | ${sparse}`, untaken],
  [`all: pause 4 3000000 | ${sparse}`, untaken],
  [`all: pause 5 300000 | ${sparse}`, untaken],
  ['all: pause 1 300000 | 3: iprobe 2 8 | 0-2: barrier', /Rank 3 polls with MPI_Iprobe/],
  [
    'all: pause 2 300000 | 3: irecv 2 8; test 0 | 0-2: recv 3 1',
    /Rank 3 polls with MPI_Test.*Rank 3 has a receive from rank 2 with tag 8 on MPI_COMM_WORLD pending/,
  ],
];

const of = (steps: string): Pick<HangCase, 'program' | 'args'> => ({ program: 'steps', args: [steps] });

export const hangingSteps: readonly HangCase[] = hangs.map(([steps, type, culprits]) => ({
  ...of(steps),
  expected: { type, culprits },
}));

export const stepsThatGoOn: readonly HangCase[] = [
  ...goOn.map((steps) => ({ ...of(steps), expected: undefined })),
  ...polling.map(([steps, says]) => ({ ...of(steps), expected: undefined, unknown: says })),
];
