/** The way of the first NaN in words. */
import type { FloatTrap } from '../../plugin-api/deaths/float-trap';
import type { Carried } from '../../plugin-api/deaths/carried-record';
import assert from 'node:assert/strict';
import { carriedText } from '../../plugin-api/answers/text/carried-text';
import type { RankDeath } from '../../plugin-api/deaths/rank-death';

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
    ...{ root: undefined, completedBy: undefined, completedAt: undefined, times: 1 },
    place: { address: '0x1', file: '/home/ada/solver.c', line },
    ...rest,
  };
}

function textOf(carried: readonly Carried[], made?: readonly RankDeath[]): string[] {
  return carriedText({ carried, made });
}

/** rank 3 divides, at this time. */
function maker(rank: number, time: number, trap: Partial<FloatTrap> = {}): RankDeath {
  const death = { kind: 'float', mpi: 'up', floatKinds: ['invalid'], time: BigInt(time), goesOn: true };
  return {
    id: { rank, host: 'here', pid: 100 + rank },
    death: death as unknown as RankDeath['death'],
    frames: [{ name: 'sweep', source: '/home/ada/relax.c', line: 41 }],
    trap: {
      ...{ kind: 'invalid', operation: '0.0/0.0', statement: 'residual = r / norm (r = 0, norm = 0)' },
      ...{ within: undefined, ...trap },
    } as FloatTrap,
  };
}

const sent = carried(3, 'out', 10, 'MPI_Isend', 88, { comm: plane, peer: 1, peerInWorld: 2, tag: 7 });

describe('what MPI carried', () => {
  it('tells who was first, and the way to the others', () => {
    const from = { comm: plane, peer: 0, peerInWorld: 3, tag: 7, completedBy: 'MPI_Waitall', times: 112 };
    const completedAt = { address: '0x2', file: 'solver.c', line: 92 };
    const told = textOf([
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
      '  none was seen to come to it before; --trap-fp invalid finds the line that makes it',
      '  it came to ranks 2,4 by MPI_Irecv from rank 3, tag 7, "plane" (solver.c:80), the 112th time, completed by MPI_Waitall (solver.c:92)',
      '  it came to ranks 0-1 by MPI_Allreduce (solver.c:120)',
    ]);
  });

  it('does not choose between ranks to which none had come', () => {
    const other = carried(5, 'out', 11, 'MPI_Allreduce', 120);
    assert.deepEqual(textOf([other, sent]).slice(1), [
      '  none was seen to come to it before; --trap-fp invalid finds the line that makes it',
      '  so did rank 5, and none was seen to come there: MPI_Allreduce (solver.c:120)',
      '  no other rank was seen to get it',
    ]);
  });

  it('says what it does not know', () => {
    const received = carried(1, 'in', 5, 'MPI_Recv', 9, { comm: { ...plane, name: '' }, peer: 2, tag: 'any' });
    assert.deepEqual(textOf([received]), [
      'a NaN came from a rank that was not seen to send it',
      '  it came to rank 1 by MPI_Recv from rank 2 of its communicator (solver.c:9)',
    ]);
    assert.deepEqual(textOf([]), [
      '--watch-nan has seen no NaN and no infinity in the numbers that MPI carried; bytes (MPI_BYTE) are not looked at',
    ]);
  });

  it('knows that what is put into the window of a rank comes to it', () => {
    const put = carried(3, 'out', 10, 'MPI_Put', 70, { isOnWindow: true, peer: 0, peerInWorld: 0 });
    assert.deepEqual(textOf([put, carried(0, 'out', 12, 'MPI_Bcast', 75), carried(1, 'in', 13, 'MPI_Bcast', 75)]), [
      'rank 3 was the first to pass a NaN to MPI: MPI_Put to rank 0 (solver.c:70)',
      '  none was seen to come to it before; --trap-fp invalid finds the line that makes it',
      '  it came to rank 1 by MPI_Bcast (solver.c:75)',
    ]);
    const [before] = textOf([{ ...put, time: 20n }, carried(0, 'out', 12, 'MPI_Bcast', 75)]);
    assert.match(before ?? '', /^rank 0 was the first/);
    const got = carried(1, 'in', 13, 'MPI_Get', 76, { isOnWindow: true, peer: 0, peerInWorld: 0 });
    assert.equal(textOf([got])[0], 'a NaN was in a window, and no rank was seen to put it there');
  });

  it('does not look for a rank that has sent what a reduction made', () => {
    assert.deepEqual(textOf([carried(0, 'in', 13, 'MPI_Allreduce', 76)]), [
      'a NaN came out of a reduction to which no rank was seen to pass one: its operation may have made it',
      '  it came to rank 0 by MPI_Allreduce (solver.c:76)',
    ]);
  });

  it('says by which call a persistent request began, or ended', () => {
    const [start, wait] = [{ address: '0x2', file: 'solver.c', line: 92 } as const, 'MPI_Wait'];
    const times = { times: 3, completedAt: start };
    const lines = textOf([
      carried(3, 'out', 10, 'MPI_Send_init', 80, { ...times, completedBy: 'MPI_Start', peer: 1, peerInWorld: 1 }),
      carried(1, 'in', 13, 'MPI_Recv_init', 81, { ...times, completedBy: wait, peer: 3, peerInWorld: 3 }),
    ]);
    assert.match(
      lines[0] ?? '',
      /MPI_Send_init to rank 1 \(solver.c:80\), the 3rd time, started by MPI_Start \(solver.c:92\)$/,
    );
    assert.match(lines[2] ?? '', /MPI_Recv_init from rank 3 \(solver.c:81\), the 3rd time, completed by MPI_Wait/);
  });

  it('begins with the line that made it, where that was watched', () => {
    const came = carried(2, 'in', 11, 'MPI_Recv', 80, { peerInWorld: 3, peer: 3, tag: 7 });
    const lines = [
      'rank 3 made a NaN: 0.0/0.0',
      '  in residual = r / norm (r = 0, norm = 0)',
      '  at relax.c:41 in sweep',
      '  rank 3 passed it to MPI: MPI_Isend to rank 2, tag 7, "plane" (solver.c:88)',
      '  it came to rank 2 by MPI_Recv from rank 3, tag 7 (solver.c:80)',
    ];
    assert.deepEqual(textOf([sent, came], [maker(3, 5)]), lines);
    assert.deepEqual(textOf([], [maker(3, 5)]), [...lines.slice(0, 3), '  no call of MPI carried it']);
    const unmade = /no operation that was watched made it: it may be from a file, from memory that was not set/;
    // What is made later is not what it had passed on, and what another rank makes is not its own.
    for (const made of [[], [maker(3, 15)], [maker(4, 5)]]) assert.match(textOf([sent], made).join('\n'), unmade);
  });

  it('does not say where a NaN is from that its rank has compared before', () => {
    const lines = textOf([sent], [maker(3, 15, { operation: 'comparison of NaN with 1.0' })]);
    assert.equal(lines[0], 'rank 3 made an invalid operation: comparison of NaN with 1.0');
    assert.doesNotMatch(lines.join('\n'), /watched/);
  });

  it('tells infinities apart', () => {
    const all = textOf([{ ...sent, isNan: false }, sent]);
    assert.match(all.join('\n'), /^rank 3 was the first to pass a NaN [^]*\nrank 3 was the first to pass an infinity/);
  });
});
