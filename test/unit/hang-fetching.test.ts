/** Ranks that read windows in loops: what they do is no progress as long as nothing in the windows changes. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { RankPosition } from '../../plugin-api/hang/position';
import { standsStill } from '../../plugin-api/hang/stillness';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { computes, inCall, jobOf, receives, type Told } from '../support/hang-state';

const win = { kind: 'win', handle: '0x9', name: 'flags' } as const;
const lockEpoch = { access: 'lock', exposure: 'none' } as const;
const wins = [{ name: 'flags', epoch: { access: 'none', exposure: 'none' } as const }];

const loop = { fetches: { call: 'MPI_Get', loop: '0x401000' }, where: 'a.c:5' };
const inWindows = 'a';

function fetches(call: string, rest: Partial<RankPosition> = {}, told: Partial<Told> = {}): Told {
  return inCall(call, { win, ...loop, ...rest }, { wins, inWindows, ...told });
}

const gets = fetches('MPI_Get');
const unlocks = fetches('MPI_Win_unlock', { where: 'a.c:6' });
const between: Told = { calls: [{ state: 'running', ...loop }], wins, inWindows };
const waits = inCall('MPI_Barrier', {}, { wins, inWindows });

function judge(first: readonly Told[], last: readonly Told[]): HangDocument {
  return verdictOf({ target: 'live', looks: [jobOf(first), jobOf(last)], seconds: 1 }).document;
}

describe('ranks that read a window in a loop', () => {
  it('poll it, wherever in the loop they are', () => {
    for (const [first, last] of [
      [gets, unlocks],
      [unlocks, gets],
      [unlocks, unlocks],
      [between, gets],
      [gets, between],
    ] as const) {
      const { verdict, sentence } = judge([first, waits], [last, waits]);
      assert.equal(verdict, 'unknown', sentence);
      assert.match(
        sentence,
        /Rank 0 reads MPI_Win "flags" in a loop with MPI_Get \(a\.c:\d\), and may wait for a change there\./,
      );
      assert.match(sentence, /Rank 1 waits in MPI_Barrier .* for rank 0\./);
    }
  });

  it('are told together', () => {
    const { sentence } = judge([gets, gets, waits], [gets, gets, waits]);
    assert.match(sentence, /Ranks 0-1 read MPI_Win "flags" in a loop with MPI_Get/);
  });

  it('make no progress by the messages that the library fetches with', () => {
    const [earlier, later] = ['1', '2'].map((traffic) => [
      { ...gets, traffic },
      { ...waits, traffic },
    ]) as [Told[], Told[]];
    assert.equal(judge(earlier, later).verdict, 'unknown');
    // Who looks up what others have written gets nowhere else, either: such a job is not to be ended.
    assert.ok(!standsStill(jobOf(earlier), jobOf(later), 1, { ignoresOwnCode: true }));
  });

  it('make progress where a window changes', () => {
    const changed: Told = { ...waits, inWindows: 'b' };
    assert.equal(judge([gets, waits], [unlocks, changed]).verdict, 'progress');
  });

  it('make progress where they come to another loop, or have moved on', () => {
    const other = fetches('MPI_Get', { fetches: { call: 'MPI_Get', loop: '0x401080' } });
    for (const last of [other, computes, waits]) assert.equal(judge([gets, waits], [last, waits]).verdict, 'progress');
  });

  it('do not show others as stuck who may be getting messages', () => {
    const each = (traffic: string): Told[] => [gets, receives(2, 1, { traffic }), receives(1, 1, { traffic }), waits];
    assert.notEqual(judge(each('a'), each('b')).verdict, 'deadlock');
  });

  it('wait where another rank has a lock that keeps them, and are who others wait for that have one', () => {
    const has = [{ name: 'flags', epoch: lockEpoch }];
    const wants = fetches('MPI_Win_lock', { peer: 0 });
    const holder: Told = { ...waits, wins: has };
    const { verdict, sentence } = judge([wants, holder], [wants, holder]);
    assert.equal(verdict, 'deadlock', sentence);
    const asking = fetches('MPI_Win_flush', {}, { wins: has });
    const kept = inCall('MPI_Win_lock', { win, peer: 0 }, { wins, inWindows });
    assert.match(
      judge([asking, kept], [asking, kept]).sentence,
      /Rank 1 waits in MPI_Win_lock .*, which rank 0 has locked\./,
    );
  });
});
