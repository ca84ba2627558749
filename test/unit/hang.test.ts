/** The verdict on hand-written positions: every type and near miss, and what must not be called a deadlock. */
import assert from 'node:assert/strict';
import { dotOf } from '../../plugin-api/hang/dot';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { RankPosition } from '../../plugin-api/hang/position';
import { verdictOf } from '../../plugin-api/hang/verdict';
import {
  computes,
  finalizes,
  inCall,
  jobOf,
  other,
  pair,
  receives,
  unknown,
  world,
  type Told,
} from '../support/hang-state';

/** Two looks at the same. */
function ask(...ranks: Told[]): HangDocument {
  const look = jobOf(ranks);
  return verdictOf({ target: 'live', looks: [look, look], seconds: 1 }).document;
}

function assertDeadlock(document: HangDocument, type: HangDocument['type'], culprits: number[]): void {
  const { verdict, type: told, culprits: blamed, sentence } = document;
  assert.deepEqual({ verdict, type: told, culprits: blamed }, { verdict: 'deadlock', type, culprits }, sentence);
}

const barrier = inCall('MPI_Barrier');
const sent = (peer: number, tag: number, comm = world) => ({ queues: { unexpected: [{ peer, tag, comm }] } });

const internal = (queue: 'posted' | 'unexpected' | 'sends', peer: number, collective: string) => ({
  queues: { [queue]: [{ peer, tag: -17, internal: true as const, collective }] },
});

const moment = 1_700_000_000;

/** The verdict on core files, which are of one moment unless their ranks say otherwise. */
function cores(...ranks: Told[]): HangDocument {
  const look = jobOf(ranks.map((rank) => ({ written: moment, ...rank })));
  return verdictOf({ target: 'core', looks: [look], seconds: 0 }).document;
}

/** Both are in MPI_Reduce, and wait there for a message of the other. */
function inEachOthersWay(root: RankPosition['root'], queues: Told['queues'] = {}): Told[] {
  return [1, 0].map((peer) => {
    const posted = [{ peer, tag: -21, internal: true as const, collective: 'MPI_Reduce' }];
    return inCall('MPI_Reduce', { root }, { queues: { posted, ...(peer === 0 ? queues : {}) } });
  });
}

describe('the verdict on a hang', () => {
  const deadlocks: [title: string, ranks: Told[], type: HangDocument['type'], culprits: number[]][] = [
    ['receives of each other', [receives(1, 7), receives(0, 7), barrier, barrier], 'p2p-cycle', [0, 1]],
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
      'a member that does not come to MPI_Comm_spawn',
      [inCall('MPI_Comm_spawn', { root: 0 }), inCall('MPI_Comm_spawn', { root: 0 }), finalizes],
      'collective-missing-rank',
      [2],
    ],
    [
      'a send of which only its message shows where it goes',
      [receives(1, 12, sent(1, 112)), inCall('MPI_Ssend', { peer: unknown, tag: unknown }), finalizes, finalizes],
      'tag-mismatch',
      [0, 1],
    ],
    ['a window without its fence', [inCall('MPI_Win_fence', { comm: world }), finalizes], 'rma', [1]],
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
    ['roots that nobody knows, and messages that nobody sends', inEachOthersWay(unknown), 'root-mismatch', [0, 1]],
    ['one root, and messages that nobody sends', inEachOthersWay(0), 'other', [0, 1]],
    ['part of a job, while the rest computes', [receives(1, 7), receives(0, 7), computes], 'p2p-cycle', [0, 1]],
  ];
  for (const [title, ranks, type, culprits] of deadlocks)
    it(`is a deadlock: ${title}`, () => assertDeadlock(ask(...ranks), type, culprits));

  const others: [title: string, ranks: Told[], verdict: 'progress' | 'unknown'][] = [
    ['a member that computes', [barrier, barrier, computes], 'progress'],
    ['a sender that computes', [receives(1, 5), computes], 'progress'],
    ['a message of anybody, where one computes', [receives('MPI_ANY_SOURCE', 5), computes, receives(0, 1)], 'progress'],
    ['a message that has come', [receives(1, 5, sent(1, 5)), barrier], 'unknown'],
    [
      'a message that is being sent',
      [receives(1, 5), inCall('MPI_Ssend', { peer: 0, tag: 5 }, { queues: { sends: [{ peer: 0, tag: 5 }] } })],
      'unknown',
    ],
    ['all members in the operation', [barrier, barrier], 'unknown'],
    [
      'all members in the operation, and a message that one of them waits for',
      inEachOthersWay(0, { sends: [{ peer: 0, tag: -21, internal: true }] }),
      'unknown',
    ],
    ['a receive whose message is arriving', [inCall('MPI_Recv', { peer: 1, tag: 5 }), receives(0, 5)], 'unknown'],
    ['a rank that cannot be asked', [barrier, { ...barrier, error: 'it is on another host' }], 'unknown'],
    ['a rank that polls', [barrier, inCall('MPI_Test')], 'unknown'],
    [
      'unknown arguments, with one that computes',
      [receives(1, 5), inCall('MPI_Recv', { peer: unknown, tag: 5 }), computes],
      'progress',
    ],
    ['unknown requests, with one that computes', [inCall('MPI_Wait', { requests: unknown }), computes], 'progress'],
    [
      'a thread that computes beside one that waits',
      [{ calls: [...receives(1, 1).calls, { state: 'running' }] }, receives(0, 2)],
      'progress',
    ],
    [
      'a root that has gone on, and one between that computes',
      [receives(2, 1), computes, inCall('MPI_Bcast', { root: 0 })],
      'progress',
    ],
    ['all in MPI_Finalize', [finalizes, finalizes], 'progress'],
    [
      'a send that may go to a rank that does not look for messages',
      [receives(1, 12, sent(1, 112)), inCall('MPI_Ssend', { peer: unknown, tag: unknown }), computes],
      'progress',
    ],
    ['one that waits for another job', [inCall('MPI_Comm_accept', { comm: unknown }), barrier], 'unknown'],
  ];
  for (const [title, ranks, verdict] of others)
    it(`is none: ${title}`, () => {
      const document = ask(...ranks);
      assert.equal(document.verdict, verdict, document.sentence);
      assert.deepEqual([document.type, document.culprits], [null, []]);
    });

  it('is unknown where the arguments of one are, unless nobody can act', () => {
    const lost = inCall('MPI_Recv', { peer: unknown, tag: 5 });
    assert.equal(ask(lost, inCall('MPI_Test')).verdict, 'unknown');
    assertDeadlock(ask(lost, finalizes), 'p2p-missing-partner', [1]);
  });

  it('takes a pending receive for what an unknown one asks for', () => {
    const lost = inCall('MPI_Recv', { peer: unknown, tag: unknown }, { queues: { posted: [{ peer: 2, tag: 5 }] } });
    assertDeadlock(ask(lost, computes, finalizes), 'p2p-missing-partner', [2]);
  });

  it('is progress when a waiting rank moved, by its traffic too', () => {
    const look = (traffic: string) => jobOf([receives(1, 7, { traffic }), receives(0, 7, { traffic })]);
    const ask = (...traffic: string[]) => verdictOf({ target: 'live', looks: traffic.map(look), seconds: 1 }).document;
    assert.equal(ask('a', 'b').verdict, 'progress');
    assert.equal(ask('a', 'a').verdict, 'deadlock');
  });

  it('rests on the library’s numbers of messages', () => {
    const counted = (peer: number, sent: number, expected: number) =>
      receives(peer, 7, { counters: [{ comm: world, peer, sent, expected }] });
    const once = (...ranks: Told[]) => verdictOf({ target: 'live', looks: [jobOf(ranks)], seconds: 1 }).document;
    const still = once(counted(1, 3, 6), counted(0, 5, 4));
    assert.deepEqual([still.verdict, still.proof], ['deadlock', 'counters']);
    assert.equal(once(counted(1, 4, 6), counted(0, 5, 4)).verdict, 'unknown', 'rank 1 has a message under way');
    assert.equal(once(counted(1, -1 & 0xffff, 6), counted(0, 5, 0)).verdict, 'deadlock', 'numbers have 16 bits');
    assert.equal(once(receives(1, 7), receives(0, 7)).verdict, 'unknown', 'one look shows no message under way');
  });

  it('is unknown where somebody has stopped one that the others wait for', () => {
    const stopped = { found: { state: 'stopped' as const } };
    const { verdict, sentence } = ask(receives(1, 7), { ...receives(0, 7), ...stopped }, barrier);
    assert.equal(verdict, 'unknown');
    assert.match(sentence, /Rank 1 is stopped by a signal, until SIGCONT\./);
    assert.equal(ask({ ...computes, ...stopped }, barrier).verdict, 'unknown', 'in its own code');
    assert.match(
      ask(receives(1, 7), ...[1, 2].map(() => ({ ...barrier, ...stopped }))).sentence,
      /Ranks 1-2 are stopped/,
    );
    assertDeadlock(ask({ ...barrier, ...stopped }, receives(2, 7), receives(1, 7)), 'p2p-cycle', [1, 2]);
  });

  it('is unknown where one had something to do and got no processor', () => {
    const found = (state: 'runnable' | 'sleeping', processorTime: number) => ({ found: { state, processorTime } });
    const after = (milliseconds: number, state: 'runnable' | 'sleeping', rest: Partial<Told> = {}): HangDocument => {
      const look = (time: number) => jobOf([receives(1, 7), { ...receives(0, 7, rest), ...found(state, time) }]);
      return verdictOf({ target: 'live', looks: [look(100), look(100 + milliseconds)], seconds: 1 }).document;
    };
    assert.equal(after(0.2, 'runnable').verdict, 'unknown');
    assert.match(after(0.2, 'runnable').sentence, /Rank 1 got no processor time between two looks\./);
    assert.equal(after(5, 'runnable').verdict, 'deadlock');
    assert.equal(after(0.2, 'sleeping').verdict, 'deadlock', 'it waits for what comes');
  });

  it('is a deadlock whatever comes to a rank in MPI_Finalize', () => {
    const counted = (peer: number, sent: number, expected: number) => ({
      counters: [{ comm: world, peer, sent, expected }],
    });
    const sender = { ...receives(1, 7), ...counted(1, 5, 1) };
    assertDeadlock(ask(sender, { ...finalizes, ...counted(0, 0, 3) }), 'p2p-missing-partner', [1]);
    const look = (tag: number) => jobOf([receives(1, 7), { ...finalizes, ...sent(0, tag) }]);
    const { verdict } = verdictOf({ target: 'live', looks: [look(1), look(2)], seconds: 1 }).document;
    assert.equal(verdict, 'deadlock', 'the library empties its queues there');
    const entered = [jobOf([receives(1, 7), receives(0, 7)]), jobOf([receives(1, 7), finalizes])];
    assert.equal(
      verdictOf({ target: 'live', looks: entered, seconds: 1 }).document.verdict,
      'progress',
      'it came there',
    );
  });

  it('believes core files in which every rank is blocked', () => {
    const { verdict, proof } = cores(receives(1, 7), receives(0, 7));
    assert.deepEqual([verdict, proof], ['deadlock', 'one-look']);
    assert.equal(cores(receives(1, 7), receives(0, 7), computes).verdict, 'unknown');
    assert.equal(cores(...inEachOthersWay(0)).verdict, 'unknown', 'they may be in one operation after another');
  });

  it('does not believe core files of different moments', () => {
    assert.equal(cores(receives(1, 7), { ...receives(0, 7), written: moment + 60 }).verdict, 'deadlock');
    assert.equal(cores(receives(1, 7), { ...receives(0, 7), written: moment + 61 }).verdict, 'unknown');
  });

  it('does not believe two looks where messages go from host to host', () => {
    const on = (...hosts: string[]) => {
      const look = jobOf(hosts.map((host, rank) => ({ ...receives(1 - rank, 7), host })));
      return verdictOf({ target: 'live', looks: [look, look], seconds: 1 }).document.verdict;
    };
    assert.equal(on('a', 'a'), 'deadlock');
    assert.equal(on('a', 'b'), 'unknown');
  });

  it('names a crash first', () => {
    const crashed = { ...computes, crash: 'SIGSEGV at a.c:7' };
    const { sentence } = cores(barrier, crashed, barrier);
    assert.match(sentence, /^Rank 1 died of SIGSEGV at a\.c:7\. Ranks 0,2 wait in MPI_Barrier/);
  });

  it('says who was ended by whom', () => {
    const aborted = { ...computes, crash: 'aborted by the launcher with SIGABRT at a.c:7' };
    assert.match(
      cores(barrier, aborted, barrier).sentence,
      /^Rank 1 was aborted by the launcher with SIGABRT at a\.c:7\. /,
    );
    assert.match(cores(aborted, aborted).sentence, /^Ranks 0-1 were aborted by the launcher /);
  });

  it('takes ranks that were aborted from outside for what they waited in', () => {
    const aborted = { crash: 'aborted by process 77 with SIGQUIT in MPI_Recv' };
    const { sentence, verdict } = cores({ ...receives(1, 7), ...aborted }, { ...receives(0, 7), ...aborted });
    assert.match(sentence, /^Ranks 0-1 were aborted by process 77 with SIGQUIT in MPI_Recv\. Ranks? 0.* MPI_Recv /);
    assert.equal(verdict, 'deadlock');
  });

  it('does not take ranks without a core for ended ones', () => {
    const crashed = { ...computes, crash: 'SIGSEGV at a.c:7' };
    const look = jobOf([crashed, barrier, barrier]).slice(0, 1);
    const { sentence, verdict } = verdictOf({ target: 'core', looks: [look], seconds: 0 }).document;
    assert.equal(
      sentence,
      'Rank 0 died of SIGSEGV at a.c:7. Nothing is known of ranks 1-2: no core file of them was read.',
    );
    assert.equal(verdict, 'unknown');
  });

  it('does not know whether a job goes on of which a core is missing', () => {
    const look = jobOf([computes, barrier, computes]);
    const { sentence, verdict } = verdictOf({ target: 'core', looks: [[look[0]!, look[2]!]], seconds: 0 }).document;
    assert.equal(
      sentence,
      'Nothing is known of rank 1: no core file of it was read. It is not known whether the job can go on. ' +
        'Ranks 0,2 are in their own code at a.c:9.',
    );
    assert.equal(verdict, 'unknown');
  });

  it('names the thread that keeps several ranks going', () => {
    const rank = { calls: [...receives(1, 1).calls, { state: 'running' as const }] };
    assert.equal(ask(rank, { ...rank }).sentence, 'No deadlock is seen. Ranks 0-1 are in their own code in thread 2.');
  });

  it('does not claim what it only concludes', () => {
    assert.equal(
      ask(...inEachOthersWay(unknown)).sentence,
      'Ranks 0-1 are in MPI_Reduce (a.c:1) with an unknown root: they wait for each other, probably because their roots differ.',
    );
    assert.equal(
      ask(...inEachOthersWay(0)).sentence,
      'Rank 0 waits in MPI_Reduce (a.c:1) on MPI_COMM_WORLD for rank 1. ' +
        'Rank 1 waits in MPI_Reduce (a.c:1) on MPI_COMM_WORLD for rank 0. ' +
        'All members are in this operation: their counts, datatypes or earlier calls do not match.',
    );
  });

  it('names the operation that was never completed', () => {
    const forgotten = { ...finalizes, requests: [{ operation: 'receive' as const, peer: 0, tag: 6 }] };
    assert.match(
      ask(inCall('MPI_Ssend', { peer: 1, tag: 6 }), forgotten).sentence,
      /Rank 1 is in MPI_Finalize \(a\.c:99\), but never completed the receive that it had started\.$/,
    );
  });

  it('says where a rank is rather than that a message is under way to it', () => {
    const counters = (peer: number, sent: number, expected: number) => ({
      counters: [{ comm: world, peer, sent, expected }],
    });
    const { sentence } = ask({ ...barrier, ...counters(1, 5, 1) }, { ...computes, ...counters(0, 0, 3) });
    assert.equal(sentence, 'No deadlock is seen. Rank 1 is in its own code at a.c:9.');
  });

  it('says what is wrong, and then who queues', () => {
    const ranks = [receives(1, 12, sent(1, 112)), barrier, barrier];
    assert.equal(
      ask(...ranks).sentence,
      'Rank 0 waits in MPI_Recv (a.c:1) for a message from rank 1 with tag 12 on MPI_COMM_WORLD. ' +
        'Rank 1 has sent one with tag 112, which nobody receives: the tags differ. ' +
        'Rank 2 waits in MPI_Barrier (a.c:1) on MPI_COMM_WORLD for rank 0.',
    );
  });

  it('knows communicators by their members and context, whatever their handles', () => {
    const looks = jobOf([barrier, barrier]);
    const renamed = { ...looks[1]!, comms: looks[1]!.comms.map((comm) => ({ ...comm, handle: `${comm.handle}0` })) };
    const positions = renamed.positions.map((each) => ({ ...each, comm: { ...world, handle: '0x10' } }));
    const job = [looks[0]!, { ...renamed, positions }];
    assert.equal(
      verdictOf({ target: 'live', looks: [job, job], seconds: 1 }).document.verdict,
      'unknown',
      'both are in it',
    );
  });

  it('waits on a communicator of some ranks for those alone', () => {
    const onPair = inCall('MPI_Barrier', { comm: pair });
    assertDeadlock(ask(onPair, finalizes, computes), 'collective-missing-rank', [1]);
  });

  it('draws who waits for whom', () => {
    const dot = dotOf(ask(receives(1, 7), receives(0, 7), receives('MPI_ANY_SOURCE', 1)));
    assert.match(dot, /^digraph hang \{/);
    assert.match(dot, /r0 \[label="rank 0\\nMPI_Recv\\na\.c:1", style=filled/);
    assert.match(dot, /r0 -> r1;/);
    assert.match(dot, /r2 -> r0 \[style=dashed\];/);
  });
});
