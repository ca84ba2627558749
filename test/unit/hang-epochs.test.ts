/** Epochs of windows that are of groups, of hand-written positions: who has come to one, and who has not. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { RankPosition } from '../../plugin-api/hang/position';
import {
  ask,
  assertDeadlock,
  barrier,
  computes,
  finalizes,
  inCall,
  receives,
  unknown,
  type Told,
} from '../support/hang-state';

type Window = NonNullable<Told['wins']>[number];
const none: Window = { epoch: { access: 'none', exposure: 'none' } };
const startedFor = (...startGroup: number[]): Window => ({ epoch: { access: 'start', exposure: 'none' }, startGroup });
const postedFor = (...postGroup: number[]): Window => ({ epoch: { access: 'none', exposure: 'post' }, postGroup });

function onWindow(call: string, win: Window, args: Partial<RankPosition> = {}): Told {
  return inCall(call, { comm: undefined, win: { kind: 'win', handle: '0x9' }, ...args }, { wins: [win] });
}

const having = (told: Told, win: Window): Told => ({ ...told, wins: [win] });

describe('a rank that waits in MPI_Win_start', () => {
  const starts = onWindow('MPI_Win_start', startedFor(1, 3));

  it('waits for those that have not posted', () => {
    const document = ask(starts, onWindow('MPI_Win_wait', postedFor(0)), having(barrier, none), having(barrier, none));
    assertDeadlock(document, 'rma', [3]);
    assert.match(document.sentence, /^Rank 0 waits in MPI_Win_start .* for rank 3\./);
  });

  it('waits for those of the group that it was given, where the window does not tell', () => {
    const given = onWindow('MPI_Win_start', none, { members: [1, 3] });
    const document = ask(given, having(barrier, postedFor(0)), having(barrier, none), having(barrier, none));
    assertDeadlock(document, 'rma', [3]);
  });

  it('waits for all that have not posted: one that computes does not help', () => {
    const all = onWindow('MPI_Win_start', startedFor(1, 3));
    assertDeadlock(ask(all, having(computes, none), having(computes, none), having(receives(0, 1), none)), 'rma', [3]);
  });

  it('may be released by one of which nothing is known', () => {
    const unknownWindow = { epoch: unknown };
    const document = ask(starts, having(computes, unknownWindow), barrier, having(receives(0, 1), none));
    assert.notEqual(document.verdict, 'deadlock', document.sentence);
  });

  it('does not count a post for another rank, or on another window', () => {
    const forOther = having(finalizes, postedFor(2));
    assertDeadlock(ask(starts, forOther, finalizes, having(finalizes, postedFor(0))), 'rma', [1]);
    const onOther = { ...forOther, wins: [{ ...postedFor(0), comm: { kind: 'comm' as const, handle: '0x2' } }] };
    assertDeadlock(ask(starts, onOther, finalizes, having(finalizes, postedFor(0))), 'rma', [1]);
  });
});

describe('a rank that waits in MPI_Win_wait', () => {
  const waits = onWindow('MPI_Win_wait', postedFor(1, 2, 3));

  it('waits for those that are within their epoch', () => {
    const document = ask(waits, having(barrier, none), having(barrier, none), having(receives(0, 1), startedFor(0)));
    assertDeadlock(document, 'rma', [3]);
    assert.match(document.sentence, /^Rank 0 waits in MPI_Win_wait .* for rank 3\./);
  });

  it('waits for those that have not taken its post, where as many have not completed', () => {
    const completed = { ...postedFor(1, 2, 3), completes: 2 };
    const ofTwo = onWindow('MPI_Win_wait', completed);
    const taken = having(barrier, { ...none, posts: 0 });
    const untaken = having(barrier, { ...none, posts: 1 });
    const document = ask(ofTwo, taken, taken, untaken);
    assertDeadlock(document, 'rma', [3]);
    assert.match(document.sentence, /^Rank 0 waits in MPI_Win_wait .* for rank 3\./);
    // Rank 2 has completed its epoch, and got another post since.
    assertDeadlock(ask(ofTwo, taken, untaken, untaken), 'rma', [1, 2, 3]);
    const ofOne = onWindow('MPI_Win_wait', { ...completed, completes: 1 });
    const within = having(receives(0, 1), { ...startedFor(0), posts: 0 });
    assertDeadlock(ask(ofOne, taken, within, untaken), 'rma', [2, 3]);
  });

  it('waits for some of those that have completed theirs, or have not come', () => {
    const document = ask(waits, having(barrier, none), having(barrier, none), having(barrier, none));
    assertDeadlock(document, 'rma', [1, 2, 3]);
    assert.match(document.sentence, /for some of ranks 1-3\./);
  });
});

describe('a rank that waits for a lock of a window', () => {
  const named = (access: 'none' | 'lock', name: string): Window => ({ epoch: { access, exposure: 'none' }, name });

  it('waits for who has locked it, which is told with its name and the part that is meant', () => {
    const waits = onWindow('MPI_Win_lock', named('none', 'counter'), { peer: 2 });
    const document = ask(waits, having(barrier, named('lock', 'counter')), having(barrier, named('none', 'counter')));
    assertDeadlock(document, 'rma', [1]);
    const [first] = document.sentence.split('. ');
    assert.equal(
      first,
      `Rank 0 waits in MPI_Win_lock (a.c:1) for a lock of rank 2's part of MPI_Win "counter", which rank 1 has locked`,
    );
  });

  it('may be released by one of which it is not known whether it has locked it', () => {
    const waits = onWindow('MPI_Win_lock', named('none', 'counter'), { peer: 2 });
    const document = ask(
      waits,
      having(computes, { epoch: unknown, name: 'counter' }),
      having(barrier, named('lock', 'counter')),
    );
    assert.notEqual(document.verdict, 'deadlock', document.sentence);
  });

  it('may be released by the owner of the part, too, where that is not in MPI', () => {
    const document = (peer: number | typeof unknown): HangDocument =>
      ask(
        onWindow('MPI_Win_lock', named('none', 'counter'), { peer }),
        having(computes, named('none', 'counter')),
        having(barrier, named('lock', 'counter')),
      );
    for (const peer of [1, unknown]) assert.notEqual(document(peer).verdict, 'deadlock', document(peer).sentence);
    assertDeadlock(document(2), 'rma', [2]);
  });
});
