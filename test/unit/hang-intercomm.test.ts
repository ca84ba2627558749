/** Operations over an intercommunicator and calls that make one, of hand-written positions: who is needed, and who is the root. */
import assert from 'node:assert/strict';
import type { RankPosition } from '../../plugin-api/hang/position';
import {
  ask,
  assertDeadlock,
  barrier,
  computes,
  finalizes,
  inCall,
  other,
  receives,
  unknown,
  world,
  type Told,
} from '../support/hang-state';

type Root = RankPosition['root'];

/** "other" joins ranks 0-1 and 2-3. */
function joined(told: Told, rank: number): Told {
  const [localProcs, remoteProcs] = [
    [0, 1],
    [2, 3],
  ].sort((a) => (a.includes(rank) ? -1 : 1));
  return {
    ...told,
    comms: [{ handle: other.handle, name: 'other', localProcs: localProcs!, remoteProcs: remoteProcs!, contextId: 3 }],
  };
}

const between = (...told: Told[]): ReturnType<typeof ask> => ask(...told.map(joined));
const gathers = (root: Root): Told => inCall('MPI_Gather', { comm: other, root });
const spreads = (root: Root, queues: Told['queues'] = {}): Told =>
  inCall('MPI_Bcast', { comm: other, root }, { queues });
const internal = { tag: -17, internal: true as const, comm: other };

describe('an operation between two groups', () => {
  it('has no root where both groups name one of the other', () => {
    const gather = between(gathers(0), gathers(0), gathers(0), gathers(0));
    assertDeadlock(gather, 'root-mismatch', [0, 1, 2, 3]);
    assert.match(
      gather.sentence,
      /^Ranks 0-3 are in MPI_Gather .* on MPI_Comm "other" with root 0: none of them passes MPI_ROOT, .*: both groups send\.$/,
    );
    const bcast = between(spreads(0), finalizes, spreads(0), finalizes);
    assertDeadlock(bcast, 'root-mismatch', [0, 2]);
    assert.match(bcast.sentence, /both groups receive\.$/);
  });

  it('has no root where the one that is named passes MPI_PROC_NULL, or another one passes MPI_ROOT', () => {
    assertDeadlock(between(gathers('MPI_PROC_NULL'), finalizes, gathers(0), finalizes), 'root-mismatch', [0]);
    const document = between(gathers('MPI_ROOT'), finalizes, gathers(1), gathers(1));
    assertDeadlock(document, 'root-mismatch', [0, 2, 3]);
    assert.match(document.sentence, /the others have to name the one that passes MPI_ROOT\.$/);
  });

  it('may still be the one before, of those whose root is elsewhere', () => {
    const document = between(gathers(0), receives(0, 5), gathers(1), receives(0, 6));
    assertDeadlock(document, 'collective-missing-rank', [1, 3]);
  });

  it('waits for its root and the root’s other group alone', () => {
    const document = between(gathers('MPI_ROOT'), receives(2, 7), gathers(0), receives(2, 9));
    assertDeadlock(document, 'collective-missing-rank', [3]);
    const going = between(gathers('MPI_ROOT'), receives(2, 7), gathers(0), computes);
    assert.equal(going.verdict, 'progress', going.sentence);
  });

  it('does not count everybody where it is not rooted either: who has exchanged its messages may leave', () => {
    const alltoall = (peer: number): Told =>
      inCall(
        'MPI_Alltoall',
        { comm: other },
        { queues: { posted: [{ ...internal, peer, collective: 'MPI_Alltoall' }] } },
      );
    assertDeadlock(between(alltoall(1), alltoall(1), finalizes, receives(0, 5)), 'collective-missing-rank', [3]);
  });

  it('has the root of its messages where what the call was given is lost', () => {
    const posted = [{ ...internal, peer: 0, collective: 'MPI_Bcast' }];
    const document = between(spreads(unknown, { posted }), finalizes, spreads(unknown, { posted }), finalizes);
    assertDeadlock(document, 'root-mismatch', [0, 2]);
    assert.match(document.sentence, /with root 0: none of them passes MPI_ROOT/);
  });

  it('tells by a message that nobody takes that another root was named', () => {
    const unexpected = [{ ...internal, peer: 0, collective: 'MPI_Gather' }];
    const document = between(gathers('MPI_ROOT'), { ...finalizes, queues: { unexpected } }, finalizes, finalizes);
    assertDeadlock(document, 'root-mismatch', [2]);
    assert.match(
      document.sentence,
      /has gone from rank 2 to rank 1, as happens if they name different roots, pass different counts, or call it /,
    );
  });

  it('has a root where the one that is named passes MPI_ROOT', () => {
    assert.doesNotMatch(between(gathers('MPI_ROOT'), finalizes, gathers(0), gathers(0)).sentence, /passes MPI_ROOT/);
  });
});

describe('a call that makes a communicator', () => {
  const spawns = inCall('MPI_Comm_spawn', { root: 0 });

  it('is collective: the others have to call it, too', () => {
    const document = ask(barrier, spawns, barrier, barrier);
    assertDeadlock(document, 'collective-order-mismatch', [1]);
    assert.match(document.sentence, /MPI_Comm_spawn is collective: ranks 0,2-3 have to call it too\.$/);
  });

  it('is not released by a message as long as others have not called it', () => {
    const counters = (peer: number, sent: number, expected: number) => ({
      counters: [{ comm: world, peer, sent, expected }],
    });
    const document = ask({ ...spawns, ...counters(1, 0, 1) }, { ...barrier, ...counters(0, 1, 1) });
    assertDeadlock(document, 'collective-order-mismatch', [0, 1]);
  });

  it('may be of a group alone, whose other members do not count', () => {
    const makes = (tag: number): Told => inCall('MPI_Comm_create_group', { members: [0, 1, 2], tag });
    assertDeadlock(ask(makes(7), makes(7), barrier, barrier), 'collective-order-mismatch', [2]);
    const tags = ask(makes(7), makes(7), makes(8), barrier);
    assertDeadlock(tags, 'tag-mismatch', [2]);
    assert.match(
      tags.sentence,
      /^Rank 2 is in MPI_Comm_create_group .* with tag 8, ranks 0-1 .* with tag 7: the tags differ\./,
    );
  });
});

describe('members in different operations', () => {
  it('may have left one without a message', () => {
    const reduces = inCall('MPI_Allreduce');
    assert.match(
      ask(barrier, reduces, reduces).sentence,
      /; whether some have left MPI_Allreduce already, as they can where counts disagree, is not known\.$/,
    );
    const dups = inCall('MPI_Comm_dup');
    assert.doesNotMatch(ask(barrier, dups, dups).sentence, /unless/);
  });

  it('are behind one that the root has not heard of, where it has got the parts of others', () => {
    const root = (peer: number): Told =>
      inCall(
        'MPI_Gather',
        { root: 0 },
        { queues: { posted: [{ peer, tag: -19, internal: true, collective: 'MPI_Gather' }] } },
      );
    const document = ask(root(2), barrier, barrier, barrier);
    assertDeadlock(document, 'other', [0, 2]);
    assert.match(
      document.sentence,
      /Rank 2 waits in MPI_Barrier \(a\.c:1\): it has not called MPI_Gather, or has left it without giving rank 0 its block/,
    );
    assertDeadlock(ask(root(1), barrier, barrier, barrier), 'collective-order-mismatch', [0]);
  });
});
