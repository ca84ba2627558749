/** The way of the first NaN in words. */
import assert from 'node:assert/strict';
import { carriedText } from '../../adapter/text/carried-text';
import type { Carried } from '../../adapter/query/deaths/carried-look';

const world = { handle: 1n, name: 'MPI_COMM_WORLD', rank: 0, size: 6 };
const plane = { handle: 2n, name: 'plane', rank: 0, size: 6 };

function carried(
  rank: number,
  direction: 'out' | 'in',
  time: number,
  call: string,
  line: number,
  rest: Partial<Carried> = {},
): Carried {
  return {
    ...{ pid: 100 + rank, rank, direction, time: BigInt(time), call, isNan: true, caller: 1n, completer: undefined },
    ...{ comm: world, isOnWindow: false, ordinal: 0, peer: undefined, peerInWorld: undefined, tag: undefined },
    ...{ root: undefined, completedBy: undefined, completedAt: undefined },
    place: { address: '0x1', file: '/home/ada/solver.c', line },
    ...rest,
  };
}

const sent = carried(3, 'out', 10, 'MPI_Isend', 88, { comm: plane, peer: 1, peerInWorld: 2, tag: 7 });

describe('what MPI carried', () => {
  it('tells who was first, and the way to the others', () => {
    const from = { comm: plane, peer: 0, peerInWorld: 3, tag: 7, completedBy: 'MPI_Waitall' };
    const completedAt = { address: '0x2', file: 'solver.c', line: 92 };
    const told = carriedText([
      carried(0, 'in', 30, 'MPI_Allreduce', 120),
      carried(4, 'in', 12, 'MPI_Irecv', 80, { ...from, completedAt }),
      carried(4, 'out', 20, 'MPI_Allreduce', 120),
      carried(2, 'in', 11, 'MPI_Irecv', 80, { ...from, completedAt }),
      sent,
      carried(3, 'in', 31, 'MPI_Allreduce', 120),
      carried(1, 'in', 32, 'MPI_Allreduce', 120),
    ]);
    assert.deepEqual(told, [
      'rank 3 was the first to pass a NaN to MPI: MPI_Isend to rank 2, tag 7, "plane" (solver.c:88)',
      '  none had come to it before; --trap-fp invalid finds the line that makes it',
      '  it came to ranks 2,4 by MPI_Irecv from rank 3, tag 7, "plane" (solver.c:80), completed by MPI_Waitall (solver.c:92)',
      '  it came to ranks 0-1 by MPI_Allreduce (solver.c:120)',
    ]);
  });

  it('does not choose between ranks to which none had come', () => {
    const other = carried(5, 'out', 11, 'MPI_Allreduce', 120);
    assert.deepEqual(carriedText([other, sent]).slice(1), [
      '  none had come to it before; --trap-fp invalid finds the line that makes it',
      '  so did rank 5, and none had come there: MPI_Allreduce (solver.c:120)',
    ]);
  });

  it('says what it does not know', () => {
    const received = carried(1, 'in', 5, 'MPI_Recv', 9, { comm: { ...plane, name: '' }, peer: 2, tag: 'any' });
    assert.deepEqual(carriedText([received]), [
      'a NaN came from a rank that was not seen to send it',
      '  it came to rank 1 by MPI_Recv from rank 2 of its communicator (solver.c:9)',
    ]);
    assert.deepEqual(carriedText([]), ['--watch-nan has seen no NaN and no infinity in what MPI carried']);
  });

  it('tells infinities apart', () => {
    const all = carriedText([{ ...sent, isNan: false }, sent]);
    assert.match(all.join('\n'), /^rank 3 was the first to pass a NaN [^]*\nrank 3 was the first to pass an infinity/);
  });
});
