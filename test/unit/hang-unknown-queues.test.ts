/** The verdict for message layers whose queues nobody can read: only calls and requests tell what is under way. */
import assert from 'node:assert/strict';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { verdictOf } from '../../plugin-api/hang/verdict';
import { assertDeadlock, barrier, inCall, jobOf, unknown, type Told } from '../support/hang-state';

describe('the verdict on a hang where the queues are not known', () => {
  const askWithout = (...ranks: Told[]): HangDocument => {
    const looks = [1, 2].map(() => jobOf(ranks).map((process) => ({ ...process, queues: [] })));
    return verdictOf({ target: 'live', looks, seconds: 1 }).document;
  };
  /** In MPI_Wait for a request of which no argument is known. */
  const waitsFor = (operation: 'send' | 'receive'): Told => ({
    ...inCall('MPI_Wait', { requests: [{ kind: 'request', handle: '0x10' }] }),
    requests: [{ operation, peer: unknown, tag: unknown }],
  });
  const sends = (tag: number): Told => inCall('MPI_Send', { peer: 1, tag });
  const receive = (tag: number): Told => inCall('MPI_Recv', { peer: 0, tag });

  it('does not take a receive for one whose message is coming', () => {
    const document = askWithout(inCall('MPI_Recv', { peer: 1, tag: 5 }), barrier);
    assert.doesNotMatch(document.sentence, /being received/);
    assertDeadlock(document, 'collective-missing-rank', [0]);
  });

  for (const [title, ranks] of [
    ['a send and its receive', [sends(5), receive(5)]],
    [
      'a send and a receive of anything',
      [sends(5), inCall('MPI_Recv', { peer: 'MPI_ANY_SOURCE', tag: 'MPI_ANY_TAG' })],
    ],
    ['a send and a request to receive', [sends(5), waitsFor('receive')]],
    ['requests to send and to receive', [waitsFor('send'), waitsFor('receive')]],
  ] as const)
    it(`is none: ${title}`, () => assert.equal(askWithout(...ranks).verdict, 'unknown'));

  it('is one where the tags differ, or nobody sends', () => {
    assertDeadlock(askWithout(sends(112), receive(12)), 'tag-mismatch', [0, 1]);
    const document = askWithout(waitsFor('receive'), barrier);
    assertDeadlock(document, 'collective-missing-rank', [0]);
    assert.match(document.sentence, /Rank 0 waits in MPI_Wait .*, what for is not known/);
  });
});
