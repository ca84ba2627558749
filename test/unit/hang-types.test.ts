/** Deadlocks of hand-written positions in messages: each type with its near misses, and whose mistake it is. */
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import {
  ask,
  assertDeadlock,
  barrier,
  computes,
  finalizes,
  inCall,
  meets,
  receives,
  sent,
  unknown,
  type Told,
} from '../support/hang-state';

describe('what a hang in messages is called', () => {
  const deadlocks: [title: string, ranks: Told[], type: HangDocument['type'], culprits: number[]][] = [
    ['receives of each other', [receives(1, 7), receives(0, 7), barrier, barrier], 'p2p-cycle', [0, 1]],
    [
      'receives of each other, in queues of which nothing is known but that they are there',
      [1, 0].map((peer) =>
        inCall('MPI_Recv', { peer, tag: 7 }, { queues: { posted: [{ peer: unknown, tag: unknown }] } }),
      ),
      'p2p-cycle',
      [0, 1],
    ],
    [
      'a send with another tag, where nothing is known of the queues',
      [
        inCall('MPI_Recv', { peer: 1, tag: 12 }, { queues: { posted: [{ peer: unknown, tag: unknown }] } }),
        inCall('MPI_Ssend', { peer: 0, tag: 112 }),
      ],
      'tag-mismatch',
      [0, 1],
    ],
    ['sends in a ring', [1, 2, 0].map((peer) => inCall('MPI_Ssend', { peer, tag: 3 })), 'p2p-cycle', [0, 1, 2]],
    ['a receive from itself', [receives(0, 1), finalizes], 'p2p-cycle', [0]],
    [
      'a ring that others wait for',
      [receives(1, 7), receives(0, 7), receives(0, 1), receives(2, 1)],
      'p2p-cycle',
      [0, 1],
    ],
    ['a partner in MPI_Finalize', [receives(1, 5), finalizes, finalizes], 'p2p-missing-partner', [1]],
    [
      'a message of anybody, with all others in MPI_Finalize',
      [receives('MPI_ANY_SOURCE', 5), finalizes, finalizes],
      'p2p-missing-partner',
      [1, 2],
    ],
    ['a message with another tag', [receives(1, 12, sent(1, 112)), barrier, barrier], 'tag-mismatch', [0, 1]],
    [
      'a send with another tag',
      [
        receives(1, 12),
        inCall('MPI_Ssend', { peer: 0, tag: 13 }, { queues: { sends: [{ peer: 0, tag: 13 }] } }),
        finalizes,
      ],
      'tag-mismatch',
      [0, 1],
    ],
    [
      'a message in a buffer that nobody receives',
      [
        inCall('MPI_Buffer_detach', { comm: undefined }, { queues: { sends: [{ peer: 1, tag: 3 }] } }),
        finalizes,
        finalizes,
      ],
      'p2p-missing-partner',
      [1],
    ],
    [
      'a send of which only its message shows where it goes',
      [receives(1, 12, sent(1, 112)), inCall('MPI_Ssend', { peer: unknown, tag: unknown }), finalizes, finalizes],
      'tag-mismatch',
      [0, 1],
    ],
    [
      'a request for two messages, one of which nobody sends',
      [
        inCall(
          'MPI_Waitall',
          {
            requests: [
              { kind: 'request', handle: '0x10' },
              { kind: 'request', handle: '0x11' },
            ],
          },
          {
            requests: [
              { operation: 'receive', peer: 1, tag: 1 },
              { operation: 'receive', peer: 2, tag: 1, complete: true },
            ],
            queues: { posted: [{ peer: 1, tag: 1 }] },
          },
        ),
        finalizes,
        computes,
      ],
      'p2p-missing-partner',
      [1],
    ],
    [
      'a persistent send that was not started',
      [
        receives(1, 6),
        { ...finalizes, requests: [{ operation: 'send', flags: ['persistent'], active: false, peer: 0, tag: 6 }] },
      ],
      'other',
      [1],
    ],
    [
      'a partitioned send that is awaited, and not ready',
      [
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          { requests: [{ operation: 'partitionedReceive', peer: 1, tag: 5 }] },
        ),
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          { requests: [{ operation: 'partitionedSend', peer: 0, tag: unknown }] },
        ),
      ],
      'other',
      [1],
    ],
    [
      'a partitioned send that was announced with another tag',
      [
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          {
            requests: [
              { operation: 'partitionedReceive', peer: 1, tag: 5 },
              { operation: 'partitionedReceive', flags: ['internal'], active: false, peer: 1, tag: 6 },
            ],
          },
        ),
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          { requests: [{ operation: 'partitionedSend', peer: 0, tag: unknown }] },
        ),
      ],
      'tag-mismatch',
      [0, 1],
    ],
    [
      'partitioned sends of which it is not known which one was announced',
      [
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          {
            requests: [
              { operation: 'partitionedReceive', peer: 1, tag: 5 },
              { operation: 'partitionedReceive', flags: ['internal'], active: false, peer: 1, tag: 6 },
            ],
          },
        ),
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          {
            requests: [
              { operation: 'partitionedSend', peer: 0, tag: unknown },
              { operation: 'partitionedSend', peer: 0, tag: unknown },
            ],
          },
        ),
      ],
      'p2p-cycle',
      [0, 1],
    ],
    [
      'a call that waits for one of several, of which one is done already',
      [
        inCall(
          'MPI_Waitany',
          { requests: ['0x10', '0x11'].map((handle) => ({ kind: 'request', handle: handle as `0x${string}` })) },
          {
            requests: [{ flags: ['requestNull'] }, { operation: 'receive', peer: 1, tag: 5 }],
            queues: { posted: [{ peer: 1, tag: 5 }] },
          },
        ),
        finalizes,
      ],
      'p2p-missing-partner',
      [1],
    ],
    [
      'a partitioned send that nobody awaits',
      [
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          { requests: [{ operation: 'partitionedSend', peer: 1, tag: 5 }] },
        ),
        finalizes,
      ],
      'p2p-missing-partner',
      [1],
    ],
    [
      'a receive in MPI_Finalize that nobody completes',
      [
        inCall('MPI_Ssend', { peer: 1, tag: 6 }),
        { ...finalizes, requests: [{ operation: 'receive', peer: 0, tag: 6 }] },
      ],
      'missing-wait',
      [1],
    ],
    [
      'a receive in MPI_Finalize that waits for another message',
      [
        inCall('MPI_Ssend', { peer: 1, tag: 6 }),
        { ...finalizes, requests: [{ operation: 'receive', peer: 0, tag: 7 }] },
      ],
      'p2p-missing-partner',
      [1],
    ],
    [
      'a nonblocking operation that one left without completing it',
      [
        inCall(
          'MPI_Wait',
          { requests: [{ kind: 'request', handle: '0x10' }] },
          { requests: [{ operation: 'collective' }] },
        ),
        finalizes,
        { ...finalizes, requests: [{ operation: 'collective', comm: unknown }] },
      ],
      'missing-wait',
      [2],
    ],
    [
      'receives of each other in calls that send too, perhaps',
      [
        barrier,
        ...[
          [0, 2],
          [3, 1],
        ].map(([peer, source]) =>
          inCall(
            'MPI_Sendrecv',
            { peer, tag: 1, source, receiveTag: 1 },
            { queues: { posted: [{ peer: source, tag: 1 }], sends: [{ peer: unknown, tag: unknown }] } },
          ),
        ),
        barrier,
      ],
      'p2p-cycle',
      [1, 2],
    ],
    [
      'messages to two ranks, each with the tag of the other',
      [receives(2, 1, sent(2, 2)), receives(2, 2, sent(2, 1)), barrier, barrier],
      'tag-mismatch',
      [0, 1, 2],
    ],
    ['groups that meet with other tags', [meets(0, 1, 11), meets(1, 0, 12)], 'tag-mismatch', [0, 1]],
    [
      'groups that meet with other tags, where their leaders are not known',
      [meets(0, 1, 11, unknown), meets(1, 0, 12, unknown)],
      'tag-mismatch',
      [0, 1],
    ],
    ['groups that meet in a ring', [meets(0, 1, 3), meets(1, 2, 3), meets(2, 0, 3)], 'p2p-cycle', [0, 1, 2]],
    ['part of a job, while the rest computes', [receives(1, 7), receives(0, 7), computes], 'p2p-cycle', [0, 1]],
  ];
  for (const [title, ranks, type, culprits] of deadlocks)
    it(`is a deadlock: ${title}`, () => assertDeadlock(ask(...ranks), type, culprits));
});
