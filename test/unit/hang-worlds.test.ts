import assert from 'node:assert/strict';
import { dotOf } from '../../plugin-api/hang/dot';
import type { ProcessState } from '../../plugin-api/hang/job-state';
import { verdictOf } from '../../plugin-api/hang/verdict';
import type { CommInfo, HandleRef } from '../../plugin-api/mpi/records';
import { inCall, jobOf } from '../support/hang-state';

/** Two worlds of one rank each, which wait for each other through an intercommunicator. */
function familyOf(spanning: boolean): ProcessState[] {
  const across: HandleRef = { kind: 'comm', handle: '0x9', name: 'family' };
  const none = { unexpected: [], sends: [] };
  const info = { ...across, flags: ['intercomm'], localProcs: [0], remoteProcs: [null], contextId: 5 };
  return ['0', '0.1'].map((world, index) => {
    const [state] = jobOf([
      inCall('MPI_Recv', { comm: across, peer: 0, tag: 7 }, { comms: [info as Partial<CommInfo>] }),
    ]);
    const names = ['1.0', '2.0'];
    const [own, peer] = index === 0 ? names : names.toReversed();
    return {
      ...state!,
      id: { ...state!.id, world },
      counters: [],
      queues: [{ comm: across, posted: [{ peer: 0, tag: 7, bytes: 4 }], ...none }],
      positions: state!.positions.map((position) => ({ ...position, world })),
      ...(spanning ? { spanning: { own: own!, comms: [{ comm: across, local: [own!], remote: [peer!] }] } } : {}),
    };
  });
}

describe('a hang over worlds', () => {
  it('is a ring of ranks that intercommunicators join', () => {
    const { document } = verdictOf({ target: 'live', looks: [familyOf(true), familyOf(true)], seconds: 1 });
    assert.equal(document.verdict, 'deadlock', document.sentence);
    assert.equal(document.type, 'p2p-cycle');
    assert.deepEqual(document.culprits, [0]);
    assert.deepEqual(document.culpritRanks, [
      { world: '0', rank: 0 },
      { world: '0.1', rank: 0 },
    ]);
    assert.match(document.sentence, /^Rank 0 waits in MPI_Recv \(a\.c:1\) for a message from rank 0\.1:0 with tag 7/);
    assert.deepEqual(
      document.ranks.map((rank) => 'waitsForRanks' in rank && rank.waitsForRanks),
      [[{ world: '0.1', rank: 0 }], [{ world: '0', rank: 0 }]],
    );
    assert.match(dotOf(document), /r0 -> w0_1r0;[^]*w0_1r0 -> r0;/);
  });

  it('is not known where nothing tells who the others are', () => {
    const { document } = verdictOf({ target: 'live', looks: [familyOf(false), familyOf(false)], seconds: 1 });
    assert.notEqual(document.verdict, 'deadlock');
  });
});

describe('ranks that MPI takes for jobs of their own', () => {
  it('are no deadlock: what is said of ranks means nothing', () => {
    const world = { ...ownWorld, rank: 0, size: 1 };
    const alone = inCall('MPI_Recv', { peer: 0, tag: 7 }, { comms: [world as Partial<CommInfo>] });
    const look = jobOf([alone, alone]);
    const { document } = verdictOf({ target: 'live', looks: [look, look], seconds: 1 });
    assert.equal(document.verdict, 'unknown', document.sentence);
    assert.match(
      document.sentence,
      /^It is not known whether the job can go on\. Ranks 0-1 cannot be asked: MPI takes it for rank 0 of 1, its launcher for one of 2 ranks/,
    );
  });
});

const ownWorld = {
  ...{ kind: 'comm', handle: '0x1', name: 'MPI_COMM_WORLD', flags: ['predefined'] },
  ...{ localProcs: [0], contextId: 0 },
};
