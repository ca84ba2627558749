/** Ranks that read memory until it changes: where it lies, and who can change it. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import type { PolledPlace } from '../../plugin-api/hang/position';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { computes, inCall, jobOf, type Told } from '../support/hang-state';

const flag: PolledPlace = { address: '0x1008', bytes: 4, value: '0', isShared: false };
const named: PolledPlace = { ...flag, variable: { name: 'ready', offset: 0, bytes: 4 } };
const shared: PolledPlace = { ...flag, isShared: true, file: { id: '0:7', path: '/dev/shm/w', offset: '264' } };
const waits = inCall('MPI_Barrier', { where: 'x.c:12' });

function polls(places: PolledPlace[], rest: Omit<Told, 'calls'> = {}, line?: string): Told {
  return { calls: [{ state: 'polling', where: 'x.c:9', polls: { places, ...(line && { line }) } }], ...rest };
}

function judge(...ranks: readonly Told[]): HangDocument {
  const look = jobOf(ranks);
  return verdictOf({ target: 'live', looks: [look, look], seconds: 1 }).document;
}

describe('ranks that read memory until it changes', () => {
  it('are neither a deadlock nor progress, and name what they read', () => {
    const { verdict, sentence } = judge(polls([named]), waits);
    assert.equal(verdict, 'unknown');
    assert.match(
      sentence,
      /^Rank 0 is in its own code at x\.c:9, polling ready \(now 0\): only a change there ends the loop\./,
    );
    assert.match(sentence, /In rank 0, only another thread or a handler of a signal can change ready\./);
  });

  it('do not hide that another rank computes', () => {
    const { verdict } = judge(polls([named]), computes);
    assert.equal(verdict, 'progress');
  });

  it('quote the line where nothing has a name', () => {
    assert.match(
      judge(polls([flag], {}, 'while (!*p) ;'), waits).sentence,
      /at x\.c:9 \("while \(!\*p\) ;"\), polling 4 bytes at 0x1008 \(now 0\)/,
    );
  });

  it('name the window that others put into', () => {
    const wins = [{ handle: '0x1', name: 'field', base: '0x1000', bytes: 64, flavor: 'create' as const }];
    const { sentence } = judge(polls([named], { wins }), waits);
    assert.match(sentence, /at x\.c:9, polling ready \(now 0\) in its part of MPI_Win "field"/);
    assert.match(
      sentence,
      /Other ranks can change ready with MPI_Put and its like: rank 1 waits in MPI_Barrier \(x\.c:12\)\./,
    );
  });

  it('name whose part of a shared window it is', () => {
    const part = (offset: string): Omit<Told, 'calls'> => ({
      wins: [
        {
          handle: '0x1',
          name: 'flags',
          base: '0x9000',
          bytes: 64,
          flavor: 'shared',
          sharedAt: { file: '0:7', offset },
        },
      ],
    });
    const { sentence } = judge(polls([shared], part('512')), { ...waits, ...part('256') });
    assert.match(
      sentence,
      /Rank 0 is in its own code at x\.c:9, polling 4 bytes \(now 0\) at byte 8 of rank 1's part of MPI_Win "flags"/,
    );
    assert.match(
      sentence,
      /Rank 1, whose part it is, can change it, and so can all that share the window: rank 1 waits/,
    );
  });

  it('say that a pending receive ends in a call of MPI', () => {
    const requests = [
      { operation: 'receive' as const, complete: false, active: true, buffer: '0x1000', bytes: 64, peer: 1, tag: 5 },
    ];
    assert.match(
      judge(polls([named], { requests }), waits).sentence,
      /Ready lies in the buffer of a pending receive of rank 0 from 1 with tag 5: the library may receive only within its own calls/,
    );
  });

  it('say of a loop without a way out that it never ends', () => {
    assert.match(judge(polls([]), waits).sentence, /Rank 0 is in a loop at x\.c:9 that never ends/);
  });

  it('say that such a loop waits between its rounds', () => {
    const { calls } = polls([]);
    const sleeping = calls.map((call) => ({ ...call, waitsIn: { call: 'nanosleep', what: 'for 90 s to pass' } }));
    assert.match(
      judge({ calls: sleeping }, waits).sentence,
      /Rank 0 is in a loop at x\.c:9 that never ends, and waits there in nanosleep: its compiled code/,
    );
  });
});
