/** That the sentence of a verdict reaches what is wrong: the line of the program, and what it has called there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HangDocument, HangType } from '../../plugin-api/hang/hang-records';
import { allMpis, eitherMpi, type Mpi } from '../support/sample-job';
import { Corpus } from './corpus';

const programs = join(__dirname, 'programs');

interface CauseCase {
  /** "causes" without one. */
  program?: string;
  name: string;
  /** The MPI whose library keeps what is told; both without one. */
  mpi?: Mpi;
  type: HangType;
  culprits: readonly number[];
  /** What the sentence has to hold: "{marker}" stands for file and line of the marker in the program. */
  says: readonly string[];
  neverSays?: string;
  options?: readonly string[];
  /** From core files too, of one of the MPIs. */
  hasCores?: boolean;
}

const causes: readonly CauseCase[] = [
  {
    ...{ name: 'wrapped', type: 'p2p-cycle', culprits: [0, 1], hasCores: true },
    options: ['--library-code', '**/programs/wrap/*.hpp'],
    says: [
      'Rank 0 waits in MPI_Recv ({wrapped: rank 0}, through wrap::get, {in the header}) for a message from rank 1 with tag 5',
      'Rank 1 waits in MPI_Recv ({wrapped: rank 1}, through wrap::get, {in the header}) for a message from rank 0 with tag 6',
    ],
  },
  {
    ...{ name: 'in_library', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: ['store_write ({in_library: the others}), inside MPI_Barrier on MPI_COMM_WORLD for rank 1'],
  },
  {
    ...{ name: 'exits', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: ['Rank 1 leaves with exit(3), called at {exits: here} in read_table.'],
  },
  {
    ...{ name: 'throws', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: ['an exception, TableError ("no such table"), which is on its way through work (causes.cpp:'],
  },
  {
    ...{ name: 'terminates', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: [
      'Rank 1 is in its handler of std::terminate: an exception that nothing catches was thrown at {terminates: here} in terminates.',
    ],
  },
  {
    ...{ name: 'interrupted', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: ['Rank 1 is in its handler of SIGUSR1, which has interrupted it at {interrupted: here} in interrupted.'],
  },
  {
    ...{ name: 'catches', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: ['Rank 1 has caught an exception, TableError ("no such table"), whose handler has not ended.'],
  },
  {
    ...{ name: 'ahead', type: 'tag-mismatch', culprits: [0, 1, 2], hasCores: true },
    says: [
      'The tag of MPI_Irecv ({ahead: the first}) is 10 * phase + 1, where phase is now 5 in rank 1, 4 in ranks 0,2.',
    ],
  },
  {
    // Those who merely wait behind them say nothing of what differs.
    ...{ name: 'further', type: 'tag-mismatch', culprits: [0, 1, 2] },
    says: [
      'The tag of MPI_Irecv ({ahead: the first}) is 10 * phase + 1, where phase is now 5 in rank 1, 4 in ranks 0,2.',
    ],
  },
  {
    ...{ name: 'own_message', type: 'collective-missing-rank', culprits: [1] },
    says: ['Rank 0 has sent a message with tag 8 on MPI_COMM_WORLD to itself, and nobody has taken it.'],
  },
  {
    ...{ name: 'both_differ', type: 'collective-missing-rank', culprits: [1] },
    says: ['Rank 0\'s message with tag 9 on MPI_Comm "halo" lies at rank 1, and nobody has taken it.'],
  },
  {
    ...{ name: 'not_started', type: 'other', culprits: [1] },
    says: ['Rank 1 has a persistent request for it that is not started.'],
  },
  {
    ...{ name: 'copies', type: 'comm-mismatch', culprits: [1] },
    says: ['on another copy of MPI_COMM_WORLD', 'on a copy of MPI_COMM_WORLD: the communicators differ.'],
  },
  {
    ...{ name: 'any_of', type: 'collective-missing-rank', culprits: [1], hasCores: true },
    says: [
      'from rank 0 with tag 3 on MPI_COMM_WORLD, or for a message from rank 2 with tag 3 on MPI_COMM_WORLD.',
      'The buffers of those operations are four[0] in rank 1.',
    ],
  },
  {
    ...{ name: 'locked', type: 'p2p-cycle', culprits: [0, 1] },
    says: ['of rank 0 waits in pthread_mutex_lock ({locked: here}) for a lock that thread 1 holds.'],
  },
  // Open MPI 4 has no partitioned communication.
  {
    ...{ name: 'announced', mpi: 'mpich', type: 'tag-mismatch', culprits: [0, 1], hasCores: true },
    says: [
      'until rank 1 receives its message with tag 3 on MPI_COMM_WORLD. Rank 1 waits for one with tag 4: the tags differ.',
    ],
  },
  {
    ...{ name: 'less', mpi: 'mpich', type: 'other', culprits: [1] },
    says: [
      'rank 1 passes 1 MPI_DOUBLE, ranks 2-3 pass 20000 MPI_DOUBLE: the counts disagree.',
      'The count of MPI_Allgather ({less: all}) is count, now 1 in rank 1, 20000 in ranks 0,2-3.',
    ],
  },
  {
    ...{ name: 'more', mpi: 'openmpi', type: 'root-mismatch', culprits: [2] },
    says: [
      'as happens if they name different roots, pass different counts, or call it a different number of times.',
      'is count, now 400000 in rank 2',
    ],
  },
  {
    ...{ name: 'gather_skipped', type: 'other', culprits: [0, 2] },
    says: [
      'has not called MPI_Gather, or has left it without giving rank 0 its block, as where counts or roots differ.',
    ],
  },
  // Members of two communicators wait for each other. With MPICH, rank 3 waits for rank 2, too.
  ...(
    [
      ['openmpi', [0, 2]],
      ['mpich', [0, 2, 3]],
    ] as const
  ).map(([mpi, culprits]): CauseCase => ({
    ...{ name: 'left_between_groups', mpi, type: 'collective-missing-rank', culprits },
    says: [
      'Rank 2 is elsewhere: it has not called that operation, or has left it without giving rank 0 its block, as where counts, edges or roots differ.',
    ],
  })),
  {
    ...{ name: 'bcast_met_by_receive', type: 'collective-missing-rank', culprits: [3] },
    says: ['lies at rank 3, which is in none.', 'A message of a broadcast from rank '],
  },
  // Open MPI lets the root of such a small message send it to all of them.
  {
    ...{ name: 'bcast_skipped', mpi: 'mpich', type: 'collective-order-mismatch', culprits: [2] },
    says: [
      'rank 0, the root, has left MPI_Bcast already, and rank 2 has not taken the message of it that it has sent.',
    ],
  },
  {
    ...{ name: 'reduce_root', mpi: 'mpich', type: 'collective-order-mismatch', culprits: [3] },
    says: ['The root of MPI_Reduce ({reduce_root: here}) is root, now 3 in rank 3, 0 in ranks 0-2.'],
  },
  {
    ...{ name: 'reduce_root', mpi: 'openmpi', type: 'root-mismatch', culprits: [3] },
    says: [
      'Rank 3 is in MPI_Reduce ({reduce_root: here}) with root 3',
      'the roots differ.',
      'The root of MPI_Reduce ({reduce_root: here}) is root, now 3 in rank 3, 0 in ranks 0-2.',
    ],
  },
  {
    ...{ name: 'own_edge', type: 'other', culprits: [0, 1, 2, 3] },
    says: [
      'Ranks 0-3 wait in MPI_Neighbor_allgather ({own_edge: here}) on MPI_Comm "graph" for their own blocks: ' +
        'each is among its own sources, and not among its own destinations.',
    ],
  },
  {
    ...{ name: 'disconnects', type: 'other', culprits: [1] },
    says: [
      'Rank 0 waits in MPI_Wait ({disconnects: rank 0}) until rank 1 receives its message with tag 44',
      'Rank 1 waits in MPI_Comm_disconnect ({disconnects: rank 1}). Rank 1 has a persistent request for it that is not started.',
    ],
  },
  ownLocks(
    'locks_twice',
    'threads',
    [2],
    ['Rank 2 waits in pthread_mutex_lock ({locks_twice: here}) for a lock that it holds itself.'],
  ),
  ownLocks(
    'crossed',
    'threads',
    [1],
    [
      'Rank 1 waits in pthread_mutex_lock ({crossed: here}) for a lock that thread ',
      'of rank 1 waits in pthread_mutex_lock ({crossed: the thread}) for a lock that thread 1 holds.',
    ],
  ),
  ownLocks(
    'joins',
    'collective-missing-rank',
    [1],
    ['Thread 1 of rank 1 waits in pthread_join ({joins: here}) for thread '],
  ),
  {
    ...ownLocks(
      'abandoned',
      'threads',
      [2],
      ['in pthread_mutex_lock ({abandoned: here}) for a lock that a thread held when it ended: nobody can release it'],
    ),
    hasCores: false,
  },
  ownLocks(
    'written',
    'collective-missing-rank',
    [1],
    ['Thread 1 of rank 1 waits in pthread_rwlock_rdlock ({written: here}) for a lock that thread '],
  ),
  ownLocks(
    'critical',
    'collective-missing-rank',
    [1],
    ['of rank 1 waits at {critical: here} to enter a critical section, which another thread of its rank has to leave.'],
  ),
  ownLocks(
    'to_itself',
    'p2p-cycle',
    [0, 1, 2, 3],
    ['Ranks 0-3 wait in MPI_Ssend', 'until the same rank receives its message'],
  ),
  ownLocks(
    'freed_in_part',
    'comm-mismatch',
    [3],
    [
      'Rank 3 is in MPI_Barrier ({freed_in_part: rank 3}) on MPI_Comm "scratch", ranks 0-2 are in MPI_Barrier ({freed_in_part: the others})',
      'Ranks 0-2 have freed MPI_Comm "scratch".',
    ],
  ),
  everyday(
    'taken_forgotten',
    'collective-missing-rank',
    [1],
    [
      'which took a message from rank 0 with tag 8',
      'The request of that receive is early of taken_forgotten in rank 1.',
    ],
  ),
  everyday(
    'inter_two_roots',
    'root-mismatch',
    [0, 2],
    ['with root MPI_ROOT: each of them passes MPI_ROOT, and waits for the other'],
  ),
  everyday('inter_barrier', 'comm-mismatch', [3], ['ranks 0-2 are in MPI_Barrier']),
  everyday(
    'intercomm_part',
    'collective-order-mismatch',
    [0],
    ['MPI_Intercomm_create is collective: ranks 2-3 have to call it too.'],
  ),
  everyday(
    'taken_mprobe',
    'collective-missing-rank',
    [1],
    [
      'Rank 1 has matched a message from rank 0 with tag 8 on MPI_COMM_WORLD by a probe (MPI_Mprobe or MPI_Improbe), and has not received it.',
    ],
  ),
  everyday(
    'wrong_source',
    'collective-missing-rank',
    [1],
    ["Rank 0's message with tag 8 on MPI_COMM_WORLD lies at rank 1, and nobody has taken it."],
  ),
  // The ranks that have sent have a status, too, but nothing in it.
  {
    ...everyday(
      'status_swapped',
      'tag-mismatch',
      [0, 2],
      ['for a message from rank 2 with tag 1 on', 'one with tag 3,'],
    ),
    neverSays: 'seen.MPI_SOURCE',
  },
  // MPICH keeps nothing of a receive that was cancelled.
  {
    ...everyday('cancelled', 'collective-missing-rank', [0], ['Rank 1 has cancelled a receive of this message.']),
    mpi: 'openmpi',
  },
  // Which window MPI_Win_lock was given is lost in MPICH's.
  {
    ...everyday('lock_order', 'rma', [0, 1], ['Rank 0 has locked MPI_Win "A". Rank 1 has locked MPI_Win "B".']),
    mpi: 'mpich',
  },
  everyday(
    'lock_barrier',
    'rma',
    [0],
    [', which rank 0 has locked.', 'Rank 0 waits in MPI_Barrier (', ') for rank 1.'],
  ),
  // One that is closed is a file until all have come.
  {
    ...everyday('write_all', 'collective-order-mismatch', [1], ['ank 1 is in MPI_File_close', 'on MPI_File "']),
    hasCores: true,
  },
  everyday('fence_skipped', 'collective-order-mismatch', [2], ['are in MPI_Win_fence', 'on MPI_Win "field"']),
];

function ownLocks(name: string, type: HangType, culprits: readonly number[], says: readonly string[]): CauseCase {
  return { program: 'own-locks', name, type, culprits, says, hasCores: true };
}

function everyday(name: string, type: HangType, culprits: readonly number[], says: readonly string[]): CauseCase {
  return { program: 'everyday', name, type, culprits, says };
}

/** What stacks, locks and exceptions of the program tell: with one of the MPIs. */
const toldByProgram = [
  ...['wrapped', 'in_library', 'exits', 'throws', 'terminates', 'interrupted', 'catches'],
  ...['locked', 'locks_twice', 'crossed', 'joins', 'abandoned', 'written', 'critical'],
];

function mpisOf({ mpi, name }: CauseCase): readonly Mpi[] {
  if (mpi !== undefined) return [mpi];
  return toldByProgram.includes(name) ? eitherMpi(name) : allMpis;
}

for (const mpi of allMpis)
  describe(`the cause that mpidbg hang tells: ${mpi}`, () => {
    const corpus = new Corpus(mpi);
    before(() => corpus.compile(['causes', 'own-locks', 'everyday']));
    after(() => corpus.remove());

    for (const each of causes.filter((one) => mpisOf(one).includes(mpi)))
      it(each.name, async () => {
        const job = await corpus.start({ program: each.program ?? 'causes', args: [each.name], expected: undefined });
        try {
          job.giveWay();
          check(each, await job.askUntil('deadlock', each.options));
          const hasCores = each.hasCores === true && (each.mpi !== undefined || eitherMpi(each.name).includes(mpi));
          if (hasCores) check(each, await job.askCores(each.options));
        } finally {
          await job.kill();
        }
      });
  });

function check({ type, culprits, says, neverSays }: CauseCase, document: HangDocument): void {
  const { verdict, sentence } = document;
  assert.deepEqual(
    { verdict, type: document.type, culprits: document.culprits },
    { verdict: 'deadlock', type, culprits },
    sentence,
  );
  for (const text of says) {
    const expected = text.replace(/\{([^}]*)\}/g, (_, marker: string) => placeOf(marker));
    assert.ok(sentence.includes(expected), `"${expected}" is not in: ${sentence}`);
  }
  if (neverSays !== undefined) assert.ok(!sentence.includes(neverSays), sentence);
}

/** "causes.cpp:27" */
function placeOf(marker: string): string {
  for (const file of ['causes.cpp', 'own-locks.c', 'wrap/wrap.hpp']) {
    const line = readFileSync(join(programs, file), 'utf8')
      .split('\n')
      .findIndex((text) => text.includes(`// ${marker}`) || text.includes(`/* ${marker} */`));
    if (line >= 0) return `${file.replace('wrap/', '')}:${line + 1}`;
  }
  throw new Error(`no line is marked "${marker}"`);
}
