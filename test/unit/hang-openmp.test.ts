/** Threads that wait for each other in OpenMP, while others are in MPI. */
import assert from 'node:assert/strict';
import { openMpWaits } from '../../plugin-api/hang/openmp-waits';
import type { OmptThread, OmptWait } from '../../plugin-api/overlays/ompt-records';
import { ask, assertDeadlock, barrier, finalizes, receives, world, type Told } from '../support/hang-state';

function thread(number: number, waits?: Partial<OmptWait>, rest: Partial<OmptThread> = {}): OmptThread {
  const waitsFor = waits && ({ since: 0, ...waits } as OmptWait);
  const parallel = { id: 7, requested: 2, teamSize: 2, index: number, flags: [] };
  return {
    ...{ thread: number, type: 'worker', state: '', holds: [], parallel },
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...rest,
  };
}

const holdsLock: Partial<OmptThread> = {
  holds: [{ kind: 'lock', waitId: '0x10', code: { address: '0x400' }, since: 0 }],
};

describe('threads that wait in OpenMP', () => {
  it('wait for who holds the lock, if somebody does', () => {
    const waits = thread(11, { kind: 'lock', waitId: '0x10' });
    assert.deepEqual(openMpWaits([thread(10, undefined, holdsLock), waits], true), [
      { thread: 11, kind: 'lock', on: [10], taken: { address: '0x400' } },
    ]);
    assert.deepEqual(openMpWaits([thread(10), waits], true), []);
  });

  it('wait for those that are not at the barrier, unless there are tasks or threads that are not known', () => {
    const waits = thread(11, { kind: 'barrier' });
    const team = [thread(10), waits];
    assert.deepEqual(openMpWaits(team, false), [{ thread: 11, kind: 'barrier', on: [10] }]);
    assert.deepEqual(openMpWaits(team, true), []);
    assert.deepEqual(openMpWaits([waits], false), []);
    assert.deepEqual(openMpWaits([thread(10, { kind: 'barrier' }), waits], false), []);
  });

  it('may do a task, or have it done by a device', () => {
    for (const kind of ['taskwait', 'taskgroup', 'reduction', 'target'] as const)
      assert.deepEqual(openMpWaits([thread(10), thread(11, { kind })], false), []);
  });
});

describe('a lock that a thread holds in MPI', () => {
  const taken = { address: '0x400', file: '/home/somebody/x.c', line: 97 } as const;
  const inMpi: Told['calls'][number] = { call: 'MPI_Recv', comm: world, peer: 1, tag: 7, where: 'x.c:99', tid: 10 };
  const wants: Told['calls'][number] = { state: 'blocked', where: 'x.c:122', tid: 11 };
  const posted = [{ peer: 1, tag: 7 }];
  const holds: Told = {
    calls: [inMpi, wants],
    queues: { posted },
    openmp: [{ thread: 11, kind: 'lock', on: [10], taken }],
  };

  it('is told first, with who waits for it', () => {
    const document = ask(holds, receives(0, 7));
    assertDeadlock(document, 'threads', [0]);
    const lock = 'thread 2 waits at x.c:122 for the lock that thread 1 took at x.c:97';
    assert.equal(
      document.sentence.split('. ')[0],
      `Rank 0: ${lock}, and thread 1 waits in MPI_Recv (x.c:99)`,
      document.sentence,
    );
    assert.ok(document.evidence.some(({ rank, fact }) => rank === 0 && fact.startsWith(lock)));
  });

  it('is told behind a mistake that comes first', () => {
    assertDeadlock(ask(holds, finalizes), 'p2p-missing-partner', [1]);
    const mistaken = ask({ ...holds, queues: { posted, unexpected: [{ peer: 1, tag: 8 }] } }, receives(0, 7));
    assertDeadlock(mistaken, 'tag-mismatch', [0, 1]);
    assert.match(mistaken.sentence, /Rank 0: thread 2 waits at x\.c:122 for the lock/);
  });

  it('is nothing while the message for it comes', () => {
    const document = ask({ ...holds, queues: { posted, unexpected: [{ peer: 1, tag: 7 }] } }, receives(0, 7));
    assert.notEqual(document.verdict, 'deadlock');
  });

  it('is named after its kind, and told of threads that hold two in different orders', () => {
    const calls = [wants, { ...wants, where: 'x.c:130', tid: 10 }];
    const openmp: Told['openmp'] = [
      { thread: 11, kind: 'critical', on: [10], taken },
      { thread: 10, kind: 'nest_lock', on: [11] },
    ];
    const document = ask({ calls, openmp }, barrier);
    assertDeadlock(document, 'threads', [0]);
    assert.match(
      document.sentence,
      /thread 1 waits at x\.c:122 for the critical region that thread 2 entered at x\.c:97\./,
    );
    assert.match(document.sentence, /thread 2 waits at x\.c:130 for the nested lock that thread 1 took\./);
  });

  it('may be its own', () => {
    const document = ask({ calls: [wants], openmp: [{ thread: 11, kind: 'lock', on: [11], taken }] }, barrier);
    assertDeadlock(document, 'threads', [0]);
    assert.match(
      document.sentence,
      /^Rank 0: thread 1 waits at x\.c:122 for the lock that it took itself at x\.c:97\./,
    );
  });

  it('is no mistake at a barrier of OpenMP', () => {
    const document = ask({ ...holds, openmp: [{ thread: 11, kind: 'barrier', on: [10] }] }, receives(0, 7));
    assertDeadlock(document, 'p2p-cycle', [0, 1]);
  });
});
