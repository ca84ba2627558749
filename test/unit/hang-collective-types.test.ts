/** Deadlocks of hand-written positions in collective operations, epochs and files: each type with its near misses, and whose mistake it is. */
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import {
  ask,
  assertDeadlock,
  barrier,
  finalizes,
  inCall,
  inEachOthersWay,
  internal,
  meets,
  other,
  receives,
  sent,
  unknown,
  unnamedWindow,
  world,
  type Told,
} from '../support/hang-state';

describe('what a hang in an operation of several members is called', () => {
  const deadlocks: [title: string, ranks: Told[], type: HangDocument['type'], culprits: number[]][] = [
    [
      'a message on another communicator',
      [receives(1, 12, sent(1, 12, other)), finalizes, finalizes],
      'comm-mismatch',
      [0, 1],
    ],
    [
      'a barrier on another communicator',
      [barrier, inCall('MPI_Barrier', { comm: other }), barrier, barrier],
      'comm-mismatch',
      [1],
    ],
    [
      'two and two on two communicators',
      [barrier, barrier, inCall('MPI_Barrier', { comm: other }), inCall('MPI_Barrier', { comm: other })],
      'comm-mismatch',
      [0, 1, 2, 3],
    ],
    [
      'a barrier that a library calls on a communicator of its own',
      [barrier, inCall('MPI_Barrier', { comm: other, library: { function: 'H5Fclose' } })],
      'collective-missing-rank',
      [0, 1],
    ],
    [
      'another collective operation',
      [barrier, barrier, inCall('MPI_Allreduce'), barrier],
      'collective-order-mismatch',
      [2],
    ],
    [
      'two of each',
      [barrier, barrier, inCall('MPI_Allreduce'), inCall('MPI_Allreduce')],
      'collective-order-mismatch',
      [0, 1, 2, 3],
    ],
    ['other roots', [0, 0, 1, 0].map((root) => inCall('MPI_Reduce', { root })), 'root-mismatch', [2]],
    ['a member in MPI_Finalize', [barrier, barrier, barrier, finalizes], 'collective-missing-rank', [3]],
    [
      'a member that waits for one in the operation',
      [receives(1, 3), barrier, barrier],
      'collective-missing-rank',
      [0],
    ],
    [
      'a root in MPI_Finalize',
      [finalizes, inCall('MPI_Bcast', { root: 0 }), inCall('MPI_Bcast', { root: 0 })],
      'collective-missing-rank',
      [0],
    ],
    [
      'a root that waits for one who has sent to another root, and left',
      [
        inCall('MPI_Reduce', { root: unknown }, internal('posted', 1, 'MPI_Reduce')),
        barrier,
        inCall('MPI_Barrier', {}, internal('unexpected', 1, 'MPI_Reduce')),
        barrier,
      ],
      'root-mismatch',
      [1],
    ],
    [
      'a broadcast of another root than the one that it waits for',
      [
        barrier,
        barrier,
        barrier,
        inCall(
          'MPI_Bcast',
          { root: 1 },
          {
            queues: {
              ...internal('posted', 1, 'MPI_Bcast').queues,
              ...internal('unexpected', 0, 'MPI_Bcast').queues,
            },
          },
        ),
      ],
      'root-mismatch',
      [3],
    ],
    [
      'a broadcast that its root has left, and whose message one has not taken that another passes on',
      [
        barrier,
        barrier,
        inCall('MPI_Bcast', { root: 0 }, internal('sends', 3, 'MPI_Bcast')),
        inCall('MPI_Barrier', {}, internal('unexpected', 2, 'MPI_Bcast')),
      ],
      'collective-order-mismatch',
      [3],
    ],
    [
      'a broadcast that its root has left, and whose message one has not taken that another waits for',
      [
        barrier,
        inCall('MPI_Barrier', {}, internal('unexpected', 0, 'MPI_Bcast')),
        barrier,
        inCall('MPI_Bcast', { root: 0 }, internal('posted', 1, 'MPI_Bcast')),
      ],
      'collective-order-mismatch',
      [1],
    ],
    [
      'a broadcast that its root has left, and whose message one has not taken that waits for another message',
      [
        barrier,
        receives(0, 7, {
          queues: { posted: [{ peer: 0, tag: 7 }], ...internal('unexpected', 0, 'MPI_Bcast').queues },
        }),
        barrier,
        inCall('MPI_Bcast', { root: 0 }),
      ],
      'collective-missing-rank',
      [1],
    ],
    [
      'a reduction whose root waits for one that has not taken what another has sent it, and left',
      [
        inCall('MPI_Reduce', { root: 0 }, internal('posted', 1, 'MPI_Reduce')),
        inCall('MPI_Barrier', {}, internal('unexpected', 3, 'MPI_Reduce')),
        barrier,
        barrier,
      ],
      'collective-order-mismatch',
      [1],
    ],
    [
      'receivers, though in a tree only one of them is waited for',
      [
        receives(2, 2, { queues: { posted: [{ peer: 2, tag: 2 }] } }),
        inCall('MPI_Bcast', {}, internal('posted', 0, 'MPI_Bcast')),
        receives(3, 1, { queues: { posted: [{ peer: 3, tag: 1 }] } }),
        inCall('MPI_Bcast', {}, internal('posted', 1, 'MPI_Bcast')),
      ],
      'collective-missing-rank',
      [0, 2],
    ],
    [
      'a receiver, and not the one who waits for it in another operation',
      [
        inCall('MPI_Reduce', { root: 0 }, internal('posted', 2, 'MPI_Reduce')),
        barrier,
        receives(1, 7, { queues: { posted: [{ peer: 1, tag: 7 }] } }),
        barrier,
      ],
      'collective-missing-rank',
      [2],
    ],
    [
      'a message by which the root of a gather asks for a part: it shows no other root',
      [
        inCall('MPI_Gather', { root: 0 }, internal('posted', 2, 'MPI_Gather')),
        barrier,
        inCall('MPI_Barrier', {}, internal('unexpected', 0, 'MPI_Gather')),
        inCall('MPI_Gather', { root: 0 }, internal('posted', 0, 'MPI_Gather')),
      ],
      'other',
      [0, 2],
    ],
    [
      'a broadcast of a root that others do not call',
      [
        barrier,
        barrier,
        inCall('MPI_Bcast', { root: 2 }, internal('sends', 3, 'MPI_Bcast')),
        inCall('MPI_Barrier', {}, internal('unexpected', 2, 'MPI_Bcast')),
      ],
      'collective-order-mismatch',
      [2],
    ],
    [
      'a broadcast on another communicator, which its root has left',
      [
        ...[0, 1, 2].map(() =>
          inCall(
            'MPI_Bcast',
            { root: 3 },
            {
              queues: {
                ...internal('posted', 3, 'MPI_Bcast').queues,
                unexpected: [{ peer: 3, tag: -17, comm: other, internal: true as const, collective: 'MPI_Bcast' }],
              },
            },
          ),
        ),
        barrier,
      ],
      'comm-mismatch',
      [3],
    ],
    [
      'a rank that duplicates another communicator, which takes a reduction on it',
      [
        ...[0, 1, 2].map(() =>
          inCall(
            'MPI_Allreduce',
            {},
            {
              queues: {
                ...internal('posted', 3, 'MPI_Allreduce').queues,
                unexpected: [{ peer: 3, tag: -12, comm: other, internal: true as const, collective: 'MPI_Allreduce' }],
              },
            },
          ),
        ),
        inCall('MPI_Comm_dup', { comm: other }),
      ],
      'collective-missing-rank',
      [0, 1, 2, 3],
    ],
    [
      'other roots, two members having left with the first one',
      [
        inCall('MPI_Gather', { root: 0 }, internal('posted', 3, 'MPI_Gather')),
        barrier,
        barrier,
        inCall('MPI_Gather', { root: 1 }, internal('sends', 1, 'MPI_Gather')),
      ],
      'root-mismatch',
      [3],
    ],
    [
      'other roots, the first one having left with two members',
      [
        inCall('MPI_Scatter', { root: 0 }, internal('sends', 2, 'MPI_Scatter')),
        barrier,
        barrier,
        inCall('MPI_Scatter', { root: 1 }, internal('sends', 0, 'MPI_Scatter')),
      ],
      'root-mismatch',
      [0],
    ],
    [
      'an epoch of one other member',
      [
        inCall('MPI_Win_wait', { comm: unknown, win: unknown }, { wins: [{ postGroup: [2] }] }),
        ...[finalizes, finalizes, finalizes],
      ],
      'rma',
      [2],
    ],
    [
      'a member that does not come to MPI_Comm_spawn',
      [inCall('MPI_Comm_spawn', { root: 0 }), inCall('MPI_Comm_spawn', { root: 0 }), finalizes],
      'collective-missing-rank',
      [2],
    ],
    [
      'a fence of a window that does not tell its communicator, and a barrier of its members',
      [
        inCall('MPI_Win_fence', { comm: unknown, win: { kind: 'win', handle: '0x9' } }, unnamedWindow([0, 1])),
        { ...barrier, ...unnamedWindow([0, 1]) },
      ],
      'collective-order-mismatch',
      [0, 1],
    ],
    [
      'a window that does not tell its communicator, and is freed by some',
      [
        inCall('MPI_Win_free', { comm: unknown, win: { kind: 'win', handle: '0x9' } }, unnamedWindow([0, 1])),
        { ...finalizes, ...unnamedWindow([0, 1]) },
      ],
      'collective-missing-rank',
      [1],
    ],
    ['a window without its fence', [inCall('MPI_Win_fence', { comm: world }), finalizes], 'rma', [1]],
    [
      'a member of a group, while one that is none has left',
      [...[0, 1].map(() => inCall('MPI_Comm_create_group', { members: [0, 1, 2] })), ...[receives(0, 8), finalizes]],
      'collective-missing-rank',
      [2],
    ],
    [
      'a neighbor whose message does not come to an operation that the library has started for the call',
      [
        inCall(
          'MPI_Neighbor_allgather',
          {},
          {
            requests: [{ operation: 'collective' }],
            queues: { posted: [{ peer: 2, tag: 287, internal: true as const }] },
          },
        ),
        finalizes,
        finalizes,
      ],
      'collective-missing-rank',
      [2],
    ],
    ['a group that the other one does not meet', [meets(0, 1, 11), finalizes], 'collective-missing-rank', [1]],
    [
      'a call on a file that must be the only one',
      [
        ...[0, 1].map(() =>
          inCall('MPI_File_write_at_all', { comm: undefined, file: unknown }, { files: [{ comm: world }] }),
        ),
        inCall(
          'MPI_File_close',
          { comm: undefined, file: { kind: 'file', handle: '0x7' } },
          { files: [{ comm: world }] },
        ),
      ],
      'collective-order-mismatch',
      [2],
    ],
    [
      'a file that is being closed, and in no list any more',
      [
        ...[0, 1].map(() =>
          inCall('MPI_File_write_at_all', { comm: undefined, file: unknown }, { files: [{ comm: world }] }),
        ),
        inCall('MPI_File_close', { comm: undefined, file: unknown }, { files: [{ handle: '0x8', comm: other }] }),
      ],
      'collective-missing-rank',
      [2],
    ],
    [
      'an epoch that one of its members has not completed',
      [
        inCall('MPI_Win_wait', { comm: unknown, win: unknown }, { wins: [{ postGroup: [1, 2] }] }),
        barrier,
        receives(0, 3, { wins: [{ epoch: { access: 'start', exposure: 'none' } }] }),
      ],
      'rma',
      [2],
    ],
    [
      'other roots, the first one having served those who have left',
      [
        inCall('MPI_Scatter', { root: 0 }, internal('sends', 2, 'MPI_Scatter')),
        barrier,
        inCall('MPI_Scatter', { root: 1 }, internal('posted', 1, 'MPI_Scatter')),
        barrier,
      ],
      'root-mismatch',
      [2],
    ],
    [
      'other roots, the second one having left without a message for who names it',
      [
        inCall('MPI_Scatter', { root: 0 }),
        barrier,
        inCall('MPI_Scatter', { root: 1 }, internal('posted', 1, 'MPI_Scatter')),
        barrier,
      ],
      'root-mismatch',
      [2],
    ],
    [
      'a neighbor whose message does not come',
      [inCall('MPI_Neighbor_allgather', {}, internal('posted', 2, 'MPI_Allgather')), finalizes, finalizes],
      'collective-missing-rank',
      [2],
    ],
    ['roots that nobody knows, and messages that nobody sends', inEachOthersWay(unknown), 'root-mismatch', [0, 1]],
    ['one root, and messages that nobody sends', inEachOthersWay(0), 'other', [0, 1]],
  ];
  for (const [title, ranks, type, culprits] of deadlocks)
    it(`is a deadlock: ${title}`, () => assertDeadlock(ask(...ranks), type, culprits));
});
