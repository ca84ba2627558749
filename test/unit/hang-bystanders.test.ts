/** Threads outside MPI beside one that waits inside: which of them keep a job from being called a deadlock. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { OutsideMpi, RankPosition, Sleep } from '../../plugin-api/hang/position';
import { standsStill } from '../../plugin-api/hang/stillness';
import { verdictOf, type HangVerdict } from '../../plugin-api/hang/verdict';
import { assertDeadlock, jobOf, receives, unknown, type Told } from '../support/hang-state';

const never: OutsideMpi['callsMpi'] = { kind: 'never' };
const hidden: OutsideMpi['callsMpi'] = { kind: 'unknown' };
const maySend: OutsideMpi['callsMpi'] = { kind: 'may', call: 'MPI_Send' };

const forEver: Sleep['limit'] = { kind: 'none' };
const forSeconds = (seconds: number): Sleep['limit'] => ({ kind: 'for', seconds });
const until = (seconds: number, moment: string): Sleep['limit'] => ({ kind: 'until', seconds, moment });

function sleeps(callsMpi: OutsideMpi['callsMpi'], limit: Sleep['limit'], from = '0x10'): Partial<RankPosition> {
  return { state: 'running', where: 'monitor.c:40', outside: { callsMpi, sleep: { call: 'sleep', from, limit } } };
}

function computes(callsMpi: OutsideMpi['callsMpi']): Partial<RankPosition> {
  return { state: 'running', where: 'work.c:7', outside: { callsMpi } };
}

/** Two ranks that wait for each other; the first has these threads besides. */
function ringBeside(threads: readonly Partial<RankPosition>[], level?: Told['threadLevel']): Told[] {
  const first = receives(1, 7);
  return [
    { ...first, calls: [...first.calls, ...threads], ...(level === undefined ? {} : { threadLevel: level }) },
    receives(0, 7),
  ];
}

function judge(
  first: readonly Partial<RankPosition>[],
  second = first,
  { seconds = 1, level }: { seconds?: number; level?: Told['threadLevel'] } = {},
): HangVerdict {
  return verdictOf({
    target: 'live',
    looks: [jobOf(ringBeside(first, level)), jobOf(ringBeside(second, level))],
    seconds,
  });
}

function assertUnknown({ verdict, sentence }: HangDocument, told: RegExp): void {
  assert.equal(verdict, 'unknown', sentence);
  assert.match(sentence, told);
}

describe('a thread beside one that waits in MPI', () => {
  it('may not call MPI below MPI_THREAD_MULTIPLE, whatever it does', () => {
    for (const level of ['MPI_THREAD_SINGLE', 'MPI_THREAD_FUNNELED', 'MPI_THREAD_SERIALIZED'] as const)
      for (const thread of [computes(hidden), sleeps(hidden, forSeconds(5))]) {
        const { document } = judge([thread], [thread], { level });
        assertDeadlock(document, 'p2p-cycle', [0, 1]);
        assert.match(document.sentence, new RegExp(`Other threads of rank 0 may not call MPI now \\(${level}\\)`));
      }
  });

  it('counts below it as well when its code calls MPI, or another is in MPI too', () => {
    const level = 'MPI_THREAD_FUNNELED';
    const sender = sleeps(maySend, forSeconds(5));
    assertUnknown(judge([sender], [sender], { level }).document, /could then call MPI_Send/);
    const inside: Partial<RankPosition> = { call: 'MPI_Recv', comm: unknown, peer: unknown, tag: unknown };
    const both = [inside, computes(hidden)];
    assert.equal(judge(both, both, { level }).document.verdict, 'unknown');
  });

  it('may start one that sends when it is of the C library', () => {
    const timer: Partial<RankPosition> = { state: 'running', outside: { callsMpi: hidden, isOfCLibrary: true } };
    assertUnknown(
      judge([timer]).document,
      /Rank 0 has a thread of the C library, as for timers, which could start one/,
    );
  });

  it('is one that could still send when it sleeps until somebody acts', () => {
    for (const callsMpi of [never, hidden, maySend]) {
      const { document } = judge([sleeps(callsMpi, forEver)]);
      assertDeadlock(document, 'p2p-cycle', [0, 1]);
      assert.match(document.sentence, /Only a thread that sleeps in monitor\.c:40 could still send/);
    }
  });

  it('keeps the verdict open when it computes, moved, or was seen once', () => {
    assertUnknown(judge([computes(never)]).document, /Rank 0 has a thread that computes at work\.c:7/);
    const [here, there] = [sleeps(hidden, forEver, '0x10'), sleeps(hidden, forEver, '0x20')];
    assertUnknown(judge([here], [there]).document, /moved between two looks/);
    const once = verdictOf({ target: 'live', looks: [jobOf(ringBeside([here]))], seconds: 0 });
    assertUnknown(once.document, /sleeps at monitor\.c:40 and could still send/);
  });

  it('may send when it wakes, if its code does', () => {
    assertUnknown(judge([sleeps(maySend, { kind: 'unknown' })]).document, /could then call MPI_Send/);
    for (const seconds of [0.1, 1, 30])
      assertUnknown(judge([sleeps(maySend, forSeconds(seconds))]).document, /could then call MPI_Send/);
    assert.equal(judge([sleeps(maySend, forSeconds(5))]).wakesIn, undefined, 'another look would tell nothing');
    assertDeadlock(judge([sleeps(maySend, forSeconds(3600))]).document, 'p2p-cycle', [0, 1]);
  });

  it('is waited for when its code does not tell what it does when it wakes', () => {
    const sleeper = sleeps(hidden, forSeconds(5));
    const { document, wakesIn } = judge([sleeper]);
    assertUnknown(document, /sleeps at monitor\.c:40 for 5 s at most/);
    assert.equal(wakesIn, 5);
    assertDeadlock(judge([sleeper], [sleeper], { seconds: 6 }).document, 'p2p-cycle', [0, 1]);
    const [first, same, later] = [until(3, '100'), until(2, '100'), until(4, '105')].map((limit) =>
      sleeps(hidden, limit),
    );
    assert.equal(judge([first!], [same!]).wakesIn, 2);
    assertDeadlock(judge([first!], [later!]).document, 'p2p-cycle', [0, 1]);
  });

  it('does not count when its code never calls MPI, unless it may wake one whose code does', () => {
    const sender = sleeps(maySend, forEver);
    assertDeadlock(judge([sleeps(never, forSeconds(5)), sender]).document, 'p2p-cycle', [0, 1]);
    for (const seconds of [0.2, 5]) {
      const bell = sleeps({ kind: 'never', wakes: true }, forSeconds(seconds));
      assertDeadlock(judge([bell]).document, 'p2p-cycle', [0, 1]);
      assertUnknown(judge([bell, sender]).document, /for (0\.2|5) s at most, and could then wake one that sends/);
    }
  });

  it('counts as at the highest level where the level is not known, which is said', () => {
    assertUnknown(judge([computes(hidden)], undefined, { level: unknown }).document, /computes/);
    const { sentence } = judge([sleeps(hidden, forEver)], undefined, { level: unknown }).document;
    assert.match(sentence, /The thread level of rank 0 is not known: it is not known\./);
  });

  it('is listed with the others', () => {
    const { ranks } = judge([sleeps(never, forEver)]).document;
    assert.deepEqual(
      ranks.map((each) => ('thread' in each ? [each.rank, each.thread] : [])),
      [
        [0, 1],
        [0, 2],
        [1, 1],
      ],
    );
    assert.ok(!JSON.stringify(ranks).includes('outside'));
  });

  it('does not keep a job from standing still, unless it may act', () => {
    const isStill = (thread: Partial<RankPosition>, ignoresOwnCode = false): boolean =>
      standsStill(jobOf(ringBeside([thread])), jobOf(ringBeside([thread])), 30, { ignoresOwnCode });
    assert.ok(isStill(sleeps(hidden, forSeconds(5))));
    assert.ok(!isStill(sleeps(maySend, forSeconds(5))));
    assert.ok(!isStill(computes(hidden)));
    assert.ok(isStill(computes(hidden), true));
  });

  it('is the rank itself where none of its threads waits in MPI', () => {
    const asleep: Told = { calls: [{ state: 'running', where: 'a.c:9' }] };
    const look = jobOf([asleep, receives(0, 7)]);
    const { document } = verdictOf({ target: 'live', looks: [look, look], seconds: 1 });
    assert.equal(document.verdict, 'progress');
  });

  it('is not told to be waited for by the thread of its own process that joins it', () => {
    const joining: Told = {
      calls: [
        { state: 'blocked', where: 'rec.c:9' },
        { state: 'running', where: 'rec.c:7', waitsIn: { call: 'pause', what: 'for a signal' } },
      ],
    };
    const look = jobOf([joining, joining]);
    const { document } = verdictOf({ target: 'live', looks: [look, look], seconds: 1 });
    assert.match(document.sentence, /Ranks 0-1 wait in pause \(rec\.c:7/);
    assert.doesNotMatch(document.sentence, /rec\.c:9/);
  });
});
