/** Receives that are complete and have taken the message that another one waits for, of hand-written positions. */
import assert from 'node:assert/strict';
import type { RequestInfo } from '../../plugin-api/mpi/records';
import { ask, barrier, inCall, internal, other, receives, unknown, type Told } from '../support/hang-state';

const status = { source: 0, tag: 8, error: 0, bytes: 16, cancelled: false };
const early: Partial<RequestInfo> = { operation: 'receive', complete: true, active: true, peer: 0, tag: 8, status };
const told = (...requests: Partial<RequestInfo>[]): string => ask(barrier, receives(0, 8, { requests })).sentence;

describe('a message that a complete receive has taken', () => {
  it('is told where nobody has waited for that receive', () => {
    const text =
      /Rank 1 waits for one more: it has a complete receive.*, for which nobody has waited, and which took a message from rank 0 with tag 8\./;
    assert.match(told(early), text);
    assert.match(told({ ...early, peer: 'MPI_ANY_SOURCE', tag: 'MPI_ANY_TAG' }), text);
    assert.match(
      told({ ...early, peer: 'MPI_ANY_SOURCE' }),
      /a complete receive from any source or with any tag, for which/,
    );
    assert.match(told(early, early), /has 2 complete receives, .* and which took messages from rank 0 with tag 8/);
  });

  it('is not certain where the library has forgotten the communicator', () => {
    const forgotten = { ...early, peer: unknown, tag: unknown, comm: unknown };
    assert.match(
      told(forgotten),
      /Rank 1 has a complete receive, .*; the library does not keep on which communicator\./,
    );
  });

  it('is none of another source, tag or communicator, or of a receive that is pending, cancelled or the library’s', () => {
    for (const each of [
      { ...early, status: { ...status, tag: 9 } },
      { ...early, status: { ...status, source: 1 } },
      { ...early, comm: other },
      { ...early, complete: false },
      { ...early, active: false },
      { ...early, operation: 'send' as const },
      { ...early, flags: ['internal' as const] },
      { ...early, peer: unknown, status: { ...status, cancelled: true } },
    ])
      assert.doesNotMatch(told(each), /complete receive/, JSON.stringify(each));
  });
});

describe('a message that has gone to another rank', () => {
  const lies = inCall('MPI_Barrier', {}, { queues: { unexpected: [{ peer: 0, tag: 5 }] } });
  const text = /Rank 0's message with tag 5 on MPI_COMM_WORLD lies at rank 2, and nobody has taken it\./;

  it('is told also where its sender was not named', () => {
    for (const from of [0, 'MPI_ANY_SOURCE'] as const)
      assert.match(ask(barrier, receives(from, 5), lies).sentence, text);
  });

  it('is not told where any tag would do', () => {
    const any = inCall('MPI_Recv', { peer: 'MPI_ANY_SOURCE', tag: 'MPI_ANY_TAG' });
    assert.doesNotMatch(ask(barrier, any, lies).sentence, /lies at/);
  });
});

describe('messages of a scatter', () => {
  const receiving = (): Told => {
    const { queues } = internal('unexpected', 0, 'MPI_Scatter');
    const { posted } = receives(0, 0).queues!;
    return receives(0, 0, { queues: { posted, ...queues } });
  };

  it('are told once of those at whom they lie, who receive without being in one', () => {
    const root = inCall('MPI_Scatter', { root: 0 });
    assert.match(
      ask(root, receiving(), receiving()).sentence,
      /Messages of a scatter from rank 0 lie at ranks 1-2, which are in none\./,
    );
    assert.match(
      ask(root, receiving(), receives(0, 0)).sentence,
      /A message of a scatter from rank 0 lies at rank 1, which is in none\./,
    );
  });
});
