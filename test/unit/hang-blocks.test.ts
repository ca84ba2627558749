/** Collective operations whose members do not agree on what they exchange, of hand-written positions. */
import assert from 'node:assert/strict';
import { neighborRanks } from '../../plugin-api/hang/edges';
import type { Block, RankPosition } from '../../plugin-api/hang/position';
import type { CommInfo } from '../../plugin-api/mpi/records';
import {
  ask,
  assertDeadlock,
  barrier,
  finalizes,
  inCall,
  internal,
  other,
  receives,
  world,
  type Told,
} from '../support/hang-state';

const ints = (count: number): Block => ({ count, datatype: 'MPI_INT', bytes: 4 * count });
const all = (...counts: number[]): Block[] => counts.map(ints);

/** "other" of four ranks is a ring here, and more. */
function ring(rank: number, sources: number[] = [], destinations: number[] = []): Pick<Told, 'comms'> {
  const distGraph = {
    ...{ sources: [(rank + 3) % 4, ...sources], destinations: [(rank + 1) % 4, ...destinations] },
    weighted: false,
  };
  return { comms: [{ handle: other.handle, name: 'other', localProcs: [0, 1, 2, 3], contextId: 3, distGraph }] };
}

function neighborhood(call: string, of: Pick<Told, 'comms'>, queue: 'posted' | 'sends', peer: number): Told {
  const collective = call.replace('Neighbor_a', 'A');
  return inCall(
    call,
    { comm: other },
    { ...of, queues: { [queue]: [{ peer, tag: -10, internal: true, collective, comm: other }] } },
  );
}

const onRing = (rank: number, ...more: [number[]?, number[]?]): Told =>
  inCall('MPI_Barrier', { comm: other }, ring(rank, ...more));

/** The ordinal of the collective operation that its thread is in. */
function counted(told: Told, instance: number): Told {
  const calls = told.calls.map((call) => ({ ...call, tid: 77 }));
  return { ...told, calls, collectives: [{ thread: 77, instance }] };
}

/** Rank 0 waits for a block of rank 1. */
const waitsIn = (call: string, args: Partial<RankPosition> = {}): Told =>
  inCall(call, args, internal('posted', 1, call));

const started = { handle: '0x10', operation: 'collective' as const };

/** It waits for a nonblocking collective operation. */
function nonblocking(of: Pick<Told, 'queues'>): Told {
  return inCall('MPI_Wait', { requests: [{ kind: 'request', handle: '0x10' }] }, { ...of, requests: [started] });
}

describe('members that do not agree on what they exchange', () => {
  it('are those of an edge that only the one who takes has', () => {
    const call = 'MPI_Neighbor_allgather';
    const document = ask(onRing(0), onRing(1), neighborhood(call, ring(2, [3]), 'posted', 3), onRing(3));
    assertDeadlock(document, 'other', [2, 3]);
    assert.match(document.sentence, /for the block of rank 3, whose edges do not contain rank 2\./);
  });

  it('are those of an edge that only the one who gives has', () => {
    const call = 'MPI_Neighbor_alltoallv';
    const document = ask(onRing(0), onRing(1), onRing(2), neighborhood(call, ring(3, [], [2]), 'sends', 2));
    assertDeadlock(document, 'other', [2, 3]);
    assert.match(document.sentence, /until rank 2 takes its block, but the edges of rank 2 do not contain rank 3\./);
  });

  it('are those that take from themselves without giving to themselves', () => {
    const own = [0, 1, 2, 3].map((rank) => neighborhood('MPI_Neighbor_allgather', ring(rank, [rank]), 'posted', rank));
    const document = ask(...own);
    assertDeadlock(document, 'other', [0, 1, 2, 3]);
    assert.match(
      document.sentence,
      /^Ranks 0-3 wait in .* for their own blocks: each is among its own sources, and not among its own destinations\./,
    );
    const [waiting, ...others] = [0, 1, 2, 3].map((rank) => (rank === 0 ? own[0]! : onRing(rank)));
    assert.match(
      ask(waiting!, ...others).sentence,
      /for its own block: it is among its own sources, and not among its own destinations\./,
    );
  });

  it('are told together where they wait for the same one', () => {
    const [one, two] = [1, 2].map((rank) => neighborhood('MPI_Neighbor_allgather', ring(rank, [3]), 'posted', 3));
    assert.match(
      ask(onRing(0), one!, two!, onRing(3)).sentence,
      /^Ranks 1-2 wait in .* for the block of rank 3, whose edges do not contain ranks 1-2\./,
    );
  });

  it('are not named of an edge that both have', () => {
    const call = 'MPI_Neighbor_allgather';
    const waits = neighborhood(call, ring(2, [3]), 'posted', 3);
    const document = ask(onRing(0), onRing(1), waits, { ...finalizes, ...ring(3, [], [2]) });
    assertDeadlock(document, 'collective-missing-rank', [3]);
  });

  it('are those whose counts contradict each other', () => {
    const call = 'MPI_Alltoallw';
    const document = ask(
      inCall(call, { gives: all(4, 0), takes: all(4, 4) }, internal('posted', 1, call)),
      inCall(call, { gives: all(0, 4), takes: all(4, 4) }, internal('posted', 0, call)),
    );
    assertDeadlock(document, 'other', [0, 1]);
    assert.match(
      document.sentence,
      /^Rank 0 waits .* for 4 MPI_INT of rank 1, which gives it 0 MPI_INT: the counts disagree\./,
    );
  });

  it('wait for each other in one operation, where nothing is known of their counts', () => {
    const call = 'MPI_Alltoallw';
    const pair = [1, 0].map((peer) => inCall(call, {}, internal('posted', peer, call)));
    const document = ask(...pair, barrier, barrier);
    assertDeadlock(document, 'other', [0, 1]);
    assert.match(
      document.sentence,
      /They are in one operation, and wait for each other there: how much each of them passes is not known\./,
    );
  });

  it('pass the same, where that is known', () => {
    const call = 'MPI_Alltoallw';
    const amount = [{ count: 4, datatype: 'MPI_INT', bytes: 16 }];
    const document = ask(...[1, 0].map((peer) => inCall(call, { amount }, internal('posted', peer, call))));
    assert.match(document.sentence, /wait for each other there: each of them passes 4 MPI_INT\.$/);
  });

  it('are not known by their counts where one has left', () => {
    const waits = waitsIn('MPI_Gatherv', { root: 0, takes: all(4, 4, 4, 4) });
    const document = ask(waits, barrier, barrier, barrier);
    assertDeadlock(document, 'other', [0, 1]);
    assert.match(
      document.sentence,
      /^Rank 0 waits .* for 4 MPI_INT of rank 1\. Rank 1 .*: it has not called MPI_Gatherv, or has left it without giving rank 0 its block, as where counts or roots differ/,
    );
  });

  it('may have left it, as others have whom nobody awaits', () => {
    const waits = waitsIn('MPI_Alltoallw', { takes: all(4, 4, 4, 4) });
    const document = ask(waits, finalizes, finalizes, finalizes);
    assertDeadlock(document, 'other', [0, 1]);
    assert.match(
      document.sentence,
      /: it has not called MPI_Alltoallw, or has left it without giving rank 0 its block, as where counts differ/,
    );
  });

  it('are named as those who are awaited, where others are in another operation, too', () => {
    const posted = [{ peer: 1, tag: -21, internal: true as const, collective: 'MPI_Reduce' }];
    const document = ask(inCall('MPI_Reduce', { root: 0 }, { queues: { posted } }), barrier, barrier, barrier);
    assertDeadlock(document, 'collective-order-mismatch', [0]);
    assert.match(document.sentence, / is not known\. In MPI_Reduce, rank 0 waits for rank 1\./);
  });

  it('are missing where all others wait for them', () => {
    const of = (...ranks: number[]): Told[] =>
      ranks.map((rank) => (rank === 1 ? finalizes : waitsIn('MPI_Alltoallw', { takes: all(4, 4, 4, 4) })));
    assertDeadlock(ask(...of(0, 1, 2, 3)), 'collective-missing-rank', [1]);
    // Who only gives does not wait for anybody.
    const root = waitsIn('MPI_Gatherv', { root: 0, takes: all(4, 4, 4, 4) });
    assertDeadlock(ask(root, finalizes, finalizes, finalizes), 'collective-missing-rank', [1]);
  });

  it('may have left it at once, where libraries let members leave that pass no data', () => {
    for (const call of ['MPI_Allreduce', 'MPI_Scan', 'MPI_Reduce_scatter', 'MPI_Allgather']) {
      const waits = inCall(call, {}, internal('posted', 1, call));
      const { sentence } = ask(waits, finalizes, waits, waits);
      const told = `MPI_Finalize (a.c:99): it has not called ${call}, or has left it already, as where its count is 0`;
      assert.ok(sentence.includes(told), sentence);
    }
    assert.doesNotMatch(ask(barrier, finalizes, barrier, barrier).sentence, /has not called/);
  });

  it('may have been in it, or not, where it has blocks and nothing lies at them', () => {
    const root = waitsIn('MPI_Gatherv', { root: 0 });
    assert.match(
      ask(root, finalizes, finalizes, finalizes).sentence,
      /MPI_Finalize \(a\.c:99\): it has not called MPI_Gatherv, or has left it without giving rank 0 its block, as where counts or roots differ\.$/,
    );
    // All others have left MPI_Scatterv, with what the root has given them.
    const scattered = inCall('MPI_Scatterv', { root: 0 }, internal('posted', 0, 'MPI_Scatterv'));
    assertDeadlock(ask(finalizes, finalizes, scattered, finalizes), 'other', [0, 2]);
    assertDeadlock(ask(finalizes, scattered, scattered, scattered), 'collective-missing-rank', [0]);
    const waiting = nonblocking(internal('posted', 1));
    assert.match(
      ask(waiting, finalizes, finalizes, finalizes).sentence,
      /it has not called that operation, or has left it without giving rank 0 its block, as where counts, edges or roots differ\.$/,
    );
  });

  it('may have been in it where they wait on another communicator, for those who wait for them', () => {
    const elsewhere = inCall('MPI_Barrier', { comm: other }, ring(1));
    const waits = { ...waitsIn('MPI_Gatherv', { root: 0 }), ...ring(0) };
    const { sentence } = ask(waits, elsewhere, { ...elsewhere, ...ring(2) }, { ...elsewhere, ...ring(3) });
    assert.match(
      sentence,
      / Rank 1 is elsewhere: it has not called MPI_Gatherv, or has left it without giving rank 0 its block, /,
    );
    const skips = { ...elsewhere, ...internal('unexpected', 0, 'MPI_Alltoallw') };
    const gives = { ...waitsIn('MPI_Alltoallw'), ...ring(0) };
    assert.doesNotMatch(ask(gives, skips, elsewhere, elsewhere).sentence, /elsewhere/);
  });

  it('may not be those who are awaited where one that has started it can go on', () => {
    const computes: Told = { ...finalizes, calls: [{ state: 'running', where: 'a.c:9' }], requests: [started] };
    // The two that have left may have sent it all that it needs.
    const waits = { ...nonblocking({ queues: {} }), requests: [started, { ...started, handle: '0x11' }] };
    assert.notEqual(ask(finalizes, computes, finalizes, waits).verdict, 'deadlock');
    assert.equal(ask(finalizes, finalizes, finalizes, waits).verdict, 'deadlock');
    // What it waits for itself cannot come any more.
    assertDeadlock(
      ask(finalizes, computes, finalizes, nonblocking(internal('posted', 2))),
      'collective-missing-rank',
      [2],
    );
  });

  it('wait for each other in nonblocking operations, whose messages have other tags', () => {
    const posted = (peer: number, tag: number): Told =>
      nonblocking({ queues: { posted: [{ peer, tag, internal: true }] } });
    const lies = (told: Told, peer: number, tag: number): Told => ({
      ...told,
      queues: { ...told.queues, unexpected: [{ peer, tag, internal: true }] },
    });
    const document = ask(posted(1, -27), posted(0, -28), posted(0, -28), posted(1, -28));
    assertDeadlock(document, 'other', [0, 1]);
    assert.match(
      document.sentence,
      /as where they start them in different orders, or with different roots or counts\./,
    );
    assert.notEqual(
      ask(lies(posted(1, -27), 1, -27), posted(0, -28), posted(0, -28), posted(1, -28)).verdict,
      'deadlock',
    );
    // The operation of rank 1 goes on while it waits for another message.
    const receiving = { ...receives(2, 7), requests: [started] };
    const own = [
      { peer: 0, tag: -28, internal: true as const },
      { peer: 2, tag: 7 },
    ];
    const computing: Told = { ...posted(0, -28), calls: [{ state: 'running', where: 'a.c:9' }] };
    const busy = { ...receiving, queues: { posted: own } };
    assert.notEqual(ask(posted(1, -27), busy, computing, posted(1, -28)).verdict, 'deadlock');
  });

  it('wait for each other in several nonblocking operations at once', () => {
    const tags = [-27, -28, -27, -28];
    const ranks = tags.map((tag, rank) => {
      const posted = [1, 2, 3].map((distance) => ({ peer: (rank + distance) % 4, tag, internal: true as const }));
      return nonblocking({ queues: { posted } });
    });
    assert.match(
      ask(...ranks).sentence,
      /^Ranks 0-3 wait in MPI_Wait \(a\.c:1\) for each other in a nonblocking collective operation on MPI_COMM_WORLD\./,
    );
  });

  it('are in another order where some wait for a nonblocking operation', () => {
    const waits = nonblocking({});
    assert.match(
      ask(waits, waits, barrier).sentence,
      /, ranks 0-1 are in MPI_Wait \(a\.c:1\) for a nonblocking operation on MPI_COMM_WORLD: members/,
    );
  });

  it('have not been in it where a message of it lies at them', () => {
    const waiting = nonblocking(internal('posted', 1));
    const lies = { ...finalizes, ...internal('unexpected', 0) };
    const document = ask(waiting, lies, finalizes, finalizes);
    assertDeadlock(document, 'collective-missing-rank', [1]);
    assert.match(document.sentence, /Rank 1 is in MPI_Finalize \(a\.c:99\)\.$/);
  });

  it('are in another order where nobody has taken part in it', () => {
    const queues = {
      posted: [1, 2, 3].map((peer) => ({ peer, tag: -20, internal: true as const, collective: 'MPI_Gatherv' })),
    };
    assertDeadlock(
      ask(inCall('MPI_Gatherv', { root: 0 }, { queues }), barrier, barrier, barrier),
      'collective-order-mismatch',
      [0],
    );
  });

  it('are in another order where messages lie at those that should take them', () => {
    const untaken = inCall('MPI_Barrier', {}, internal('unexpected', 0, 'MPI_Alltoallw'));
    assertDeadlock(ask(waitsIn('MPI_Alltoallw'), barrier, untaken, untaken), 'collective-order-mismatch', [0]);
  });
});

describe('members of which calls are counted', () => {
  const behind = inCall('MPI_Allreduce');
  it('are not in another order where some have been through more', () => {
    const document = ask(...[behind, barrier, behind, behind].map((told, rank) => counted(told, rank === 1 ? 2 : 1)));
    assertDeadlock(document, 'other', [1]);
    assert.match(document.sentence, /Whether rank 1 has completed this operation or has not called it is not known\./);
  });

  it('are in another order where each is in the same one', () => {
    const waits = waitsIn('MPI_Gatherv');
    const document = ask(...[waits, barrier, barrier, barrier].map((told) => counted(told, 5)));
    assertDeadlock(document, 'collective-order-mismatch', [0]);
  });

  it('are in another order where messages of other operations lie at those who are behind', () => {
    const strayed = inCall('MPI_Allreduce', {}, internal('unexpected', 1, 'MPI_Bcast'));
    const document = ask(...[strayed, barrier, behind, behind].map((told, rank) => counted(told, rank === 1 ? 2 : 1)));
    assertDeadlock(document, 'collective-order-mismatch', [1]);
  });
});

describe('neighbors', () => {
  const of = (info: object) => neighborRanks({ handle: world.handle, ...info } as CommInfo);

  it('of a grid are those before and behind, dimension by dimension', () => {
    const neighbors = [undefined, 2, 1, 1];
    const cart = { dims: [2, 2], periods: [false, true], coords: [0, 0] };
    assert.deepEqual(of({ rank: 0, cart }), { sources: neighbors, destinations: neighbors });
  });

  it('of a graph are its own part of the edges', () => {
    const graph = { index: [1, 3, 4], edges: [1, 0, 2, 1] };
    assert.deepEqual(of({ rank: 1, graph })?.sources, [0, 2]);
    assert.deepEqual(of({ rank: 0, graph })?.destinations, [1]);
  });

  it('are unknown without a topology', () => {
    assert.equal(of({ rank: 0 }), undefined);
  });
});
