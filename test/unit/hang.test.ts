/** The verdict on hand-written positions: what is a deadlock, what is none, and what it rests on. */
import assert from 'node:assert/strict';
import { dotOf } from '../../plugin-api/hang/dot';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { NetworkState } from '../../plugin-api/hang/job-state';
import { verdictOf } from '../../plugin-api/hang/verdict';
import {
  ask,
  assertDeadlock,
  barrier,
  computes,
  finalizes,
  inCall,
  inEachOthersWay,
  jobOf,
  meets,
  other,
  pair,
  receives,
  sent,
  unknown,
  world,
  type Told,
} from '../support/hang-state';

const moment = 1_700_000_000;

/** The verdict on core files, which are of one moment unless their ranks say otherwise. */
function cores(...ranks: Told[]): HangDocument {
  const look = jobOf(ranks.map((rank) => ({ written: moment, ...rank })));
  return verdictOf({ target: 'core', looks: [look], seconds: 0 }).document;
}

describe('the verdict on a hang', () => {
  it('says which collective operation of its communicator each rank is in, where they differ and calls are collected', () => {
    const counted = (call: string, instance: number): Told => ({
      ...inCall(call, { comm: other, root: 3, tid: 7 }),
      collectives: [
        { thread: 6, instance: 99 },
        { thread: 7, instance },
      ],
    });
    const bcast = counted('MPI_Bcast', 14);
    const { sentence } = ask(bcast, bcast, bcast, counted('MPI_Barrier', 15));
    assert.match(
      sentence,
      / Ranks 0-2 are in the 14th collective operation on MPI_Comm "other" \(MPI_Bcast\), rank 3 is in the 15th \(MPI_Barrier\)\.$/,
    );
    const same = ask(bcast, bcast, bcast, counted('MPI_Barrier', 14)).sentence;
    assert.doesNotMatch(same, /14th/);
  });

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

  it('is none: a lock or its end, where nobody else has locked a window', () => {
    const inWindow = (call: string, access: 'none' | 'lock' | 'lockAll'): Told =>
      inCall(call, {}, { wins: [{ epoch: { access, exposure: 'none' } }] });
    for (const call of ['MPI_Win_unlock', 'MPI_Win_lock', 'MPI_Win_flush'])
      assert.equal(ask(inWindow(call, 'lock'), inWindow('MPI_Win_free', 'none')).verdict, 'unknown', call);
    assert.equal(ask(inWindow('MPI_Win_unlock', 'lock'), inWindow('MPI_Win_unlock', 'lock')).verdict, 'unknown');
    assertDeadlock(ask(inWindow('MPI_Win_lock', 'none'), inWindow('MPI_Barrier', 'lock')), 'rma', [1]);
    assertDeadlock(ask(inWindow('MPI_Win_lock', 'lock'), inWindow('MPI_Win_lock', 'lock')), 'rma', [0, 1]);
    // Those of MPI_Win_lock_all are shared.
    const flush = inWindow('MPI_Win_flush', 'lockAll');
    assert.equal(ask(flush, inWindow('MPI_Barrier', 'lockAll')).verdict, 'unknown');
    assert.equal(ask(inWindow('MPI_Win_lock_all', 'none'), inWindow('MPI_Barrier', 'lockAll')).verdict, 'unknown');
    assertDeadlock(ask(flush, inWindow('MPI_Barrier', 'lock')), 'rma', [1]);
  });

  it('takes a pending receive for what an unknown one asks for', () => {
    const lost = inCall('MPI_Recv', { peer: unknown, tag: unknown }, { queues: { posted: [{ peer: 2, tag: 5 }] } });
    assertDeadlock(ask(lost, computes, finalizes), 'p2p-missing-partner', [2]);
  });

  it('is progress when a waiting rank has come out of its call, and is in it again', () => {
    const first = receives(1, 7);
    const look = (own: string) => jobOf([{ ...first, calls: [{ ...first.calls[0], own }] }, receives(0, 7)]);
    const ask = (...own: string[]) => verdictOf({ target: 'live', looks: own.map(look), seconds: 1 }).document;
    assert.equal(ask('a', 'b').verdict, 'progress');
    assert.equal(ask('a', 'a').verdict, 'deadlock');
    assert.ok(!JSON.stringify(ask('a', 'a')).includes('"own"'));
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

  it('does not wait for a message on a communicator that its receiver has freed', () => {
    const scratch = { kind: 'comm' as const, handle: '0x8' as const, name: 'scratch' };
    const comms = [{ ...scratch, contextId: 9, localProcs: [0, 1] }];
    const user = inCall(
      'MPI_Barrier',
      { comm: scratch },
      { comms, counters: [{ comm: scratch, peer: 0, sent: 1, expected: 1 }] },
    );
    const judge = (call: string) =>
      verdictOf({ target: 'live', looks: [jobOf([inCall(call, {}, { counters: [] }), user])], seconds: 1 }).document;
    assert.match(judge('MPI_Barrier').sentence, /Rank 0 has freed MPI_Comm "scratch"\./);
    assert.equal(judge('MPI_Barrier').proof, 'counters');
    const making = judge('MPI_Comm_dup');
    assert.equal(making.verdict, 'unknown', 'rank 0 may be about to have it');
    assert.doesNotMatch(making.sentence, /freed/);
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

  it('believes two looks where nothing is on the way between hosts', () => {
    const still = { carried: 'x', unsent: 0, unread: 0 };
    const asked = (first: NetworkState, last: NetworkState, rest: Told) => {
      const look = (network: NetworkState) =>
        jobOf([
          { ...receives(1, 7), host: 'a', network: still },
          { ...rest, host: 'b', network },
        ]);
      return verdictOf({ target: 'live', looks: [look(first), look(last)], seconds: 1 }).document.verdict;
    };
    assert.equal(asked(still, still, receives(0, 7)), 'deadlock');
    assert.equal(asked(still, { ...still, carried: 'y' }, receives(0, 7)), 'unknown');
    assert.equal(asked(still, { ...still, unsent: 1 }, receives(0, 7)), 'unknown');
    assert.equal(asked(still, { ...still, unread: 1 }, receives(0, 7)), 'unknown');
    assert.equal(asked(still, { ...still, unread: 1 }, finalizes), 'deadlock');
    assert.equal(asked(still, { ...still, unsent: 1 }, finalizes), 'unknown');
  });

  it('names a crash first', () => {
    const crashed = { ...computes, crash: { text: 'SIGSEGV at a.c:7' } };
    const { sentence } = cores(barrier, crashed, barrier);
    assert.match(sentence, /^Rank 1 died of SIGSEGV at a\.c:7\. Ranks 0,2 wait in MPI_Barrier/);
  });

  it('says who was ended by whom', () => {
    const aborted = {
      ...computes,
      crash: { text: 'aborted by the launcher with SIGABRT at a.c:7', wasSent: true as const },
    };
    assert.match(
      cores(barrier, aborted, barrier).sentence,
      /^Rank 1 was aborted by the launcher with SIGABRT at a\.c:7\. /,
    );
    assert.match(cores(aborted, aborted).sentence, /^Ranks 0-1 were aborted by the launcher /);
  });

  it('takes ranks that were aborted from outside for what they waited in', () => {
    const aborted = { crash: { text: 'aborted by process 77 with SIGQUIT in MPI_Recv', wasSent: true as const } };
    const { sentence, verdict } = cores({ ...receives(1, 7), ...aborted }, { ...receives(0, 7), ...aborted });
    assert.match(sentence, /^Ranks 0-1 were aborted by process 77 with SIGQUIT in MPI_Recv\. Ranks? 0.* MPI_Recv /);
    assert.equal(verdict, 'deadlock');
  });

  it('does not take ranks without a core for ended ones', () => {
    const crashed = { ...computes, crash: { text: 'SIGSEGV at a.c:7' } };
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
      'Ranks 0-1 are in MPI_Reduce (a.c:1) with an unknown root: they wait for each other, as with different roots or counts, but which roots they have passed is not known.',
    );
    assert.equal(
      ask(...inEachOthersWay(0)).sentence,
      'Rank 0 waits in MPI_Reduce (a.c:1) on MPI_COMM_WORLD for rank 1. ' +
        'Rank 1 waits in MPI_Reduce (a.c:1) on MPI_COMM_WORLD for rank 0. ' +
        'All members are in this operation, and wait for each other there: how much each of them passes is not known.',
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

  it('says of each pair of ranks that misses each other what differs', () => {
    const ranks = [receives(2, 1, sent(2, 2)), receives(2, 2, sent(2, 1)), barrier];
    assert.deepEqual(ask(...ranks).evidence.at(-1), {
      rank: 2,
      fact: 'has sent a message to rank 0 with tag 2 on MPI_COMM_WORLD, which nobody receives, and waits in MPI_Barrier (a.c:1)',
    });
    assert.equal(
      ask(...ranks).sentence,
      'Rank 0 waits in MPI_Recv (a.c:1) for a message from rank 2 with tag 1 on MPI_COMM_WORLD. ' +
        'Rank 2 has sent one with tag 2, which nobody receives: the tags differ. ' +
        'Rank 1 waits in MPI_Recv (a.c:1) for a message from rank 2 with tag 2 on MPI_COMM_WORLD. ' +
        'Rank 2 has sent one with tag 1, which nobody receives: the tags differ.',
    );
  });

  it('says by how much all tags of one rank differ from those of the others', () => {
    const gets = (from: readonly [peer: number, tag: number][], there: readonly [peer: number, tag: number][]): Told =>
      inCall(
        'MPI_Waitall',
        { requests: from.map((_, i) => ({ kind: 'request', handle: `0x1${i}` })) },
        {
          requests: from.map(([peer, tag], i) => ({ operation: 'receive', handle: `0x1${i}`, peer, tag })),
          queues: {
            posted: from.map(([peer, tag]) => ({ peer, tag })),
            unexpected: there.map(([peer, tag]) => ({ peer, tag })),
          },
        },
      );
    const { sentence, type } = ask(
      gets(
        [
          [1, 1202],
          [1, 1203],
        ],
        [
          [1, 1303],
          [1, 1302],
        ],
      ),
      gets(
        [
          [0, 1301],
          [2, 1301],
        ],
        [
          [0, 1201],
          [2, 1201],
        ],
      ),
      gets([[1, 1202]], [[1, 1302]]),
    );
    assert.equal(type, 'tag-mismatch');
    assert.equal(
      sentence,
      'The tags of rank 1 are 100 higher than those of ranks 0,2, in all 5 messages between them that nobody takes on MPI_COMM_WORLD: ' +
        'tag 1302, where rank 0 has 1202. Ranks 0-2 are in MPI_Waitall (a.c:1).',
    );
  });

  it('tells a ring of many ranks in one sentence, where all wait in the same way', () => {
    const ring = (tags: readonly number[]): string =>
      ask(...tags.map((tag, rank) => inCall('MPI_Ssend', { peer: (rank + 3) % tags.length, tag, where: 'x.c:9' })))
        .sentence;
    const link = 'rank 0 for rank 3, rank 3 for rank 1, … rank 2 for rank 0';
    const way = 'each waits in MPI_Ssend (x.c:9) until the next receives its message with tag 4 on MPI_COMM_WORLD';
    assert.equal(ring([4, 4, 4, 4, 4]), `Ranks 0-4 wait for each other in a ring (${link}): ${way}.`);
    assert.match(
      ring([4, 4, 4, 4, 5]),
      /^Ranks 0-4 wait for each other .* with various tags \(4-5\) on MPI_COMM_WORLD\.$/,
    );
  });

  it('says once that two ranks miss each other', () => {
    const { sentence } = ask(receives(1, 5), inCall('MPI_Ssend', { peer: 0, tag: 6 }));
    assert.equal(sentence.match(/the tags differ/g)?.length, 1, sentence);
  });

  it('tells ranks together that have other handles of one communicator', () => {
    const unnamed = (handle: string): Told =>
      inCall(
        'MPI_Barrier',
        { comm: { kind: 'comm', handle } },
        { comms: [{ handle, localProcs: [0, 1, 2], contextId: 50 }] },
      );
    assert.equal(
      ask(unnamed('0x51'), unnamed('0x52'), finalizes).sentence,
      'Ranks 0-1 wait in MPI_Barrier (a.c:1) on a copy of MPI_COMM_WORLD for rank 2. Rank 2 is in MPI_Finalize (a.c:99).',
    );
  });

  it('says that a persistent request was not started', () => {
    const requests: Told['requests'] = [{ operation: 'send', flags: ['persistent'], active: false, peer: 0, tag: 6 }];
    assert.match(
      ask(receives(1, 6), { ...finalizes, requests }).sentence,
      /Rank 1 is in MPI_Finalize \(a\.c:99\)\. Rank 1 has a persistent request for it that is not started\./,
    );
  });

  it('does not say that the leaders of two groups wait for each other once they have met', () => {
    assert.equal(ask(meets(0, 1, 11), meets(1, 0, 11)).verdict, 'unknown');
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
