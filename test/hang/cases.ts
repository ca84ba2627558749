/**
 * What is wrong in each program, by construction: its type, and the ranks in whose code the mistake is. On four ranks.
 * Where the state of a job cannot tell two mistakes from each other, the rules of the contract say what is true.
 */
import type { HangType } from '../../plugin-api/hang/hang-records';
import type { HangCase } from './hang-case';
import { hangingSteps, stepsThatGoOn } from './steps-cases';

const all = [0, 1, 2, 3];

const messages: Record<string, [HangType, readonly number[]]> = {
  recv_recv: ['p2p-cycle', [0, 1]],
  recv_ring: ['p2p-cycle', all],
  ssend_ring: ['p2p-cycle', all],
  big_sends: ['p2p-cycle', [0, 1]],
  three_in_a_ring: ['p2p-cycle', [0, 1, 2]],
  ssend_three: ['p2p-cycle', [1, 2, 3]],
  behind_a_ring: ['p2p-cycle', [0, 1]],
  barrier_behind_a_ring: ['p2p-cycle', [2, 3]],
  own_message: ['p2p-cycle', [2]],
  tag_eager: ['tag-mismatch', [0, 1]],
  tag_ssend: ['tag-mismatch', [0, 1]],
  tag_big: ['tag-mismatch', [2, 3]],
  tag_before_allreduce: ['tag-mismatch', [0, 1]],
  tag_sendrecv: ['tag-mismatch', [0, 1]],
  tag_probe: ['tag-mismatch', [0, 3]],
  comm_eager: ['comm-mismatch', [0, 1]],
  comm_ssend: ['comm-mismatch', [2, 3]],
  comm_wait: ['comm-mismatch', [0, 2]],
  no_send: ['p2p-missing-partner', [1]],
  no_receive: ['p2p-missing-partner', [1]],
  no_receive_big: ['p2p-missing-partner', [2]],
  nobody_sends: ['p2p-missing-partner', [1, 2, 3]],
  one_too_many: ['p2p-missing-partner', [1, 2, 3]],
  wrong_receiver: ['p2p-missing-partner', [1]],
  no_probe: ['p2p-missing-partner', [2]],
  no_mprobe: ['p2p-missing-partner', [2]],
  no_sendrecv: ['p2p-missing-partner', [3]],
  no_sendrecv_replace: ['p2p-missing-partner', [1]],
  no_wait: ['p2p-missing-partner', [0]],
  no_issend: ['p2p-missing-partner', [1]],
  no_waitany: ['p2p-missing-partner', [1, 2]],
  no_waitsome: ['p2p-missing-partner', [1, 2]],
  no_waitall: ['p2p-missing-partner', [1, 2]],
  not_started: ['other', [1]],
  persistent_ring: ['p2p-cycle', all],
  persistent_waitsome: ['tag-mismatch', [2, 3]],
  persistent_waitany: ['tag-mismatch', [2, 3]],
  other_side: ['p2p-missing-partner', [3]],
};

/** The rank that does not call it, and is waited for by one of the others at least. */
const missing: Record<string, number> = {
  ...{ barrier: 3, bcast: 0, reduce: 2, allreduce: 1, gather: 3, gatherv: 1, scatter: 0, scatterv: 0, allgather: 2 },
  ...{ allgatherv: 3, alltoall: 0, alltoallv: 2, scan: 0, exscan: 0, reduce_scatter: 1, reduce_scatter_block: 3 },
  ...{ dup: 2, split: 1, create: 3, cart: 0, win_create: 1, file_open: 2, ibarrier: 3, iallreduce: 1, ibcast: 0 },
};

const collectives: [args: string, type: HangType, culprits: readonly number[]][] = [
  ['order barrier allreduce 2', 'collective-order-mismatch', [2]],
  ['order allgather alltoall 1', 'collective-order-mismatch', [1]],
  ['order barrier alltoall 03', 'collective-order-mismatch', all],
  ['order ibarrier barrier 1', 'collective-order-mismatch', [1]],
  ['comm barrier 1', 'comm-mismatch', [1]],
  ['comm allreduce 23', 'comm-mismatch', all],
  ['comm alltoall 0', 'comm-mismatch', [0]],
  ['root gather 3', 'root-mismatch', [3]],
  ['receives barrier 0', 'collective-missing-rank', [0]],
  ['receives allreduce 2', 'collective-missing-rank', [2]],
  ['sends barrier 3', 'collective-missing-rank', [3]],
  ['sends alltoall 1', 'collective-missing-rank', [1]],
];

/** Both sides of the block on which two members do not agree. Open MPI's MPI_Alltoallv sends blocks without data, too. */
const mismatched: [args: string, culprits: readonly number[]][] = [
  ...[
    'neighbor_allgather',
    'neighbor_allgatherv',
    'neighbor_alltoall',
    'neighbor_alltoallv',
    'neighbor_alltoallw',
  ].flatMap((call): [string, readonly number[]][] => [
    [`${call} awaited_edge`, [2, 3]],
    [`${call} extra_edge`, [2, 3]],
  ]),
  ['ineighbor_alltoallv awaited_edge', [2, 3]],
  ...['alltoallv', 'alltoallw', 'gatherv', 'ialltoallv', 'ialltoallw'].flatMap(
    (call): [string, readonly number[]][] => [
      [`${call} awaited`, [0, 1]],
      [`${call} extra`, [0, 1]],
    ],
  ),
  ['scatterv awaited', [0, 1]],
  ['alltoallw both', [0, 1]],
];

const others: Record<string, [HangType, readonly number[]]> = {
  no_fence: ['rma', [3]],
  lock_held: ['rma', [1]],
  no_post: ['rma', [1]],
  no_complete: ['rma', [0]],
  no_win_free: ['collective-missing-rank', [2]],
  own_threads: ['threads', [0]],
  team: ['p2p-cycle', [0, 1]],
};

const inLanguages: [program: string, name: string, type: HangType, culprits: readonly number[]][] = [
  ['in-fortran', 'cycle', 'p2p-cycle', [0, 1]],
  ['in-fortran', 'tag', 'tag-mismatch', [0, 1]],
  ['in-fortran', 'missing', 'collective-missing-rank', [2]],
  ['in-cxx', 'cycle', 'p2p-cycle', [0, 1]],
  ['in-cxx', 'missing', 'collective-missing-rank', [1]],
  ['in-cxx', 'mixed', 'collective-missing-rank', [3]],
];

/** Beside a ring of two receives: a thread that does nothing which would end them, or that may not. */
const besideThreads = [
  ...['monitor', 'short_naps', 'selecting', 'timed_condition', 'polling', 'reading', 'accepting', 'condition'].map(
    (name) => `multiple ${name}`,
  ),
  ...[
    'multiple word',
    'multiple semaphore',
    'multiple long_sleep',
    'single monitor',
    'funneled computing',
    'serialized computing',
  ],
];
/** One that may. */
const actingThreads = [
  'computing',
  'slow_sender',
  'napping_sender',
  'hidden_sender',
  'rung_sender',
  'timer_sender',
  'napping_bell',
  'timer_reader',
  'child_reader',
  'signal_taker',
].map((name) => `multiple ${name}`);

const goOn = [
  ...['slow_in_barrier', 'sleeper', 'slow_in_allreduce', 'slow_root', 'slow_leaf', 'chain', 'slow_receiver'],
  ...['slow_probe', 'slow_any', 'slow_waitany', 'slow_ibarrier', 'slow_finalize', 'root_has_gone', 'ping_pong'],
  ...['big_ping_pong', 'token', 'ssend_token', 'shift', 'pipeline', 'server', 'answers', 'probing_server', 'halo'],
  ...['barriers', 'allreduces', 'bcasts', 'reduces', 'alltoalls', 'scans', 'mixed', 'dups', 'splits', 'halves'],
  ...['slow_half', 'test_loop', 'iprobe_loop', 'all_poll', 'listener', 'listening_thread'],
  ...['locks', 'own_locks', 'fences'],
  ...['persistent', 'sides', 'timer', 'shared_lock'],
];

/** As people write them. */
const everyday: Record<string, [HangType, readonly number[]]> = {
  inter_gather: ['root-mismatch', all],
  inter_bcast: ['root-mismatch', all],
  inter_reduce: ['root-mismatch', all],
  inter_two_roots: ['root-mismatch', [0, 2]],
  inter_other_root: ['root-mismatch', [0, 2, 3]],
  inter_no_null: ['collective-missing-rank', [0, 1]],
  inter_all_null: ['collective-missing-rank', [0, 2, 3]],
  inter_barrier: ['comm-mismatch', [3]],
  inter_allreduce: ['collective-missing-rank', all],
  dup_part: ['collective-order-mismatch', [1]],
  split_part: ['collective-order-mismatch', all],
  create_part: ['collective-order-mismatch', all],
  create_only: ['collective-missing-rank', [2, 3]],
  create_group_part: ['collective-missing-rank', [0, 1, 2]],
  intercomm_part: ['collective-order-mismatch', [0]],
  intercomm_member: ['collective-missing-rank', [3]],
  spawn_part: ['collective-order-mismatch', [1]],
  accept_part: ['collective-order-mismatch', [0]],
  taken_forgotten: ['collective-missing-rank', [1]],
  taken_wildcard: ['collective-missing-rank', [1]],
  taken_mprobe: ['collective-missing-rank', [1]],
  taken_mprobe_big: ['collective-missing-rank', [0]],
  wrong_source: ['collective-missing-rank', [1]],
  cancelled: ['collective-missing-rank', [0]],
  halo_tags: ['tag-mismatch', [2, 3]],
  halo_border: ['collective-missing-rank', [0]],
  master_worker: ['collective-missing-rank', [3]],
  master_counts: ['collective-missing-rank', [0]],
  tree: ['collective-missing-rank', [0, 2]],
  pipeline: ['p2p-missing-partner', [2]],
  converged: ['collective-order-mismatch', [2]],
  even_odd: ['p2p-cycle', [0, 1]],
  write_all: ['collective-order-mismatch', [1]],
  lock_order: ['rma', [0, 1]],
  lock_barrier: ['rma', [0]],
  start_two: ['rma', [3]],
  fence_skipped: ['collective-order-mismatch', [2]],
  scan_first: ['collective-missing-rank', [0]],
  scan_nothing: ['collective-missing-rank', [2]],
  cart_shift: ['collective-missing-rank', [3]],
};
/** Nobody can know whether they go on. accept_nobody: as MPI_Open_port of MPICH over UCX fails, there is no such job. */
const everydayUnknown: Record<string, RegExp> = {
  poll_flag: /Rank 2's message with tag 60 on MPI_COMM_WORLD lies at rank 3, and nobody has taken it/,
  poll_probe: /Rank 3 polls with MPI_Iprobe/,
  poll_both: /Rank 3 polls with MPI_(Iprobe( or MPI_Test)?|Test( or MPI_Iprobe)?) at everyday\.c/,
  shared_flag:
    /Ranks 1-3 are in their own code at everyday\.c:\d+.*, polling 4 bytes \(now 0\) at byte 0 of rank 0's part of MPI_Win "flags": [^]*Rank 0, whose part it is, can change it, and so can all that share the window: rank 0 waits in MPI_Barrier/,
  own_flag:
    /Rank 2 is in its own code at everyday\.c:\d+, polling ready \(now 0\): only a change there ends the loop\. In rank 2, only another thread or a handler of a signal can change ready\./,
  accept_nobody: /Rank 0 waits in MPI_Comm_accept \(everyday\.c:\d+\): another job has to come/,
};
/** What is read in a loop of accesses to a window does not change. */
const windowsUnknown: Record<string, RegExp> = {
  remote_flag:
    /reads? MPI_Win "flags" in a loop with MPI_Get \(windows\.c:\d+\), and may wait for a change there\..* Rank 0 waits in MPI_Barrier/,
  own_lock:
    /reads? MPI_Win "mutex" in a loop with MPI_Compare_and_swap \(windows\.c:\d+\), and may wait for a change there\. Rank 1 waits in MPI_Barrier \(windows\.c:\d+\) on MPI_COMM_WORLD for ranks 0,2-3/,
  asks_under_lock:
    /Rank 1 reads MPI_Win "flags" in a loop with MPI_Get .*Ranks 0,2-3 wait in MPI_Win_lock \(windows\.c:\d+\) for a lock of rank 0's part of MPI_Win "flags", which rank 1 has locked/,
};
const everydayGoesOn = [
  ...['inter_good', 'live_bounded', 'live_halo', 'live_forgotten', 'live_intercomm', 'live_create', 'live_lock'],
  ...['live_poll', 'live_shared', 'live_file'],
];

const of = (program: string, table: Record<string, [HangType, readonly number[]]>): HangCase[] =>
  Object.entries(table).map(([name, [type, culprits]]) => ({ program, args: [name], expected: { type, culprits } }));

const unknown = (program: string, table: Record<string, RegExp>): HangCase[] =>
  Object.entries(table).map(([name, says]) => ({ program, args: [name], expected: undefined, unknown: says }));

export const hangs: readonly HangCase[] = [
  ...of('messages', messages),
  ...Object.entries(missing).map(([name, rank]): HangCase => ({
    program: 'collectives',
    args: ['missing', name, String(rank)],
    expected: { type: 'collective-missing-rank', culprits: [rank] },
  })),
  ...collectives.map(([args, type, culprits]): HangCase => ({
    program: 'collectives',
    args: args.split(' '),
    expected: { type, culprits },
  })),
  ...mismatched.map(([args, culprits]): HangCase => ({
    program: 'mismatched',
    args: args.split(' '),
    expected: { type: 'other', culprits },
  })),
  ...of('others', others),
  ...of('everyday', everyday),
  ...inLanguages.map(([program, name, type, culprits]): HangCase => ({
    program,
    args: [name],
    expected: { type, culprits },
  })),
  ...besideThreads.map((args): HangCase => ({
    program: 'threads',
    args: args.split(' '),
    expected: { type: 'p2p-cycle', culprits: [0, 1] },
  })),
  ...hangingSteps,
];

export const programsThatGoOn: readonly HangCase[] = [
  ...goOn.map((name): HangCase => ({ program: 'goes-on', args: [name], expected: undefined })),
  ...['in-fortran', 'in-cxx'].map((program): HangCase => ({ program, args: ['loop'], expected: undefined })),
  ...actingThreads.map((args): HangCase => ({ program: 'threads', args: args.split(' '), expected: undefined })),
  ...['key', 'cleanup'].map((name): HangCase => ({ program: 'leaving-thread', args: [name], expected: undefined })),
  { program: 'in-cxx', args: ['catching_sender'], expected: undefined },
  ...everydayGoesOn.map((name): HangCase => ({ program: 'everyday', args: [name], expected: undefined })),
  ...unknown('everyday', everydayUnknown),
  ...unknown('windows', windowsUnknown),
  ...['work_counter', 'turns'].map((name): HangCase => ({ program: 'windows', args: [name], expected: undefined })),
  ...stepsThatGoOn,
];
