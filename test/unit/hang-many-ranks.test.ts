/** The sentence of a verdict on many ranks: those that do the same are told together. */
import assert from 'node:assert/strict';
import { hangText } from '../../plugin-api/answers/text/hang-text';
import type { HangDocument } from '../../plugin-api/hang/hang-records';
import { ask, finalizes, inCall, receives, type Told } from '../support/hang-state';

describe('the verdict on many ranks', () => {
  const many = (count: number, each: (rank: number) => Told): HangDocument =>
    ask(...Array.from({ length: count }, (_, rank) => each(rank)));

  it('tells those together that wait for ranks at one distance, first those in whose wait the mistake is', () => {
    const document = many(16, (rank) => receives(rank % 4 === 0 ? rank + 1 : rank - 1, rank % 4 === 0 ? 2 : 1));
    assert.equal(
      document.sentence,
      'Ranks 0,4,8,12 wait in MPI_Recv (a.c:1) for a message from the next higher rank with tag 2 on MPI_COMM_WORLD. ' +
        'Ranks 1,5,9,13 wait in MPI_Recv (a.c:1) for a message from the next lower rank with tag 1 on MPI_COMM_WORLD. ' +
        'Ranks 2-3,6-7,10-11,14-15 wait in MPI_Recv (a.c:1) for a message from the next lower rank with tag 1 on MPI_COMM_WORLD.',
    );
    assert.deepEqual(document.culprits, [0, 1, 4, 5, 8, 9, 12, 13]);
    assert.match(
      hangText(document),
      /^ {2}0,4,8,12 +MPI_Recv \(a\.c:1\) on MPI_COMM_WORLD, waits for the next higher rank$/m,
    );
  });

  it('names whom each waits for where the distances differ, and the tags', () => {
    const { sentence: left } = many(6, (rank) => (rank === 5 ? finalizes : receives(5, 100 * rank)));
    assert.match(
      left,
      /^Ranks 0-4 wait in MPI_Recv \(a\.c:1\) for a message from rank 5 with various tags \(0,100,200,300,400\) on /,
    );
    const { sentence: long } = many(32, (rank) => (rank === 31 ? finalizes : receives(31, 100 * rank)));
    assert.match(
      long,
      /^Ranks 0-30 wait in MPI_Recv \(a\.c:1\) for a message from rank 31 with various tags \(31 from 0 to 3000\) on /,
    );
    const { sentence: pairs } = many(8, (rank) => (rank < 6 ? receives(rank < 3 ? 6 : 7, rank) : finalizes));
    assert.match(
      pairs,
      /for a message from another rank \(ranks 0-2 for rank 6, ranks 3-5 for rank 7\) with various tags \(0-5\)/,
    );
  });

  it('tells pairs together that wait for each other, and ranks that wait for themselves', () => {
    const swapped = many(8, (rank) => inCall('MPI_Ssend', { peer: rank ^ 1, tag: 4 }));
    assert.equal(
      swapped.sentence,
      'Ranks 0-7 wait in MPI_Ssend (a.c:1) until the other one of each pair (ranks 0-1, ranks 2-3, … ranks 6-7) receives its message ' +
        'with tag 4 on MPI_COMM_WORLD.',
    );
    const own = many(4, (rank) => receives(rank, 1));
    assert.match(
      own.sentence,
      /^Ranks 0-3 wait in MPI_Recv \(a\.c:1\) for a message from the same rank with tag 1 on /,
    );
    assert.match(hangText(own), /^ {2}0-3 +MPI_Recv \(a\.c:1\) on MPI_COMM_WORLD, waits for the same rank$/m);
  });

  it('tells pairs together that miss each other in the same way', () => {
    const { sentence, type } = many(8, (rank) =>
      rank % 2 === 0 ? receives(rank + 1, 5) : inCall('MPI_Ssend', { peer: rank - 1, tag: 100 + rank }),
    );
    assert.equal(type, 'tag-mismatch');
    assert.equal(
      sentence,
      'Ranks 0,2,4,6 wait in MPI_Recv (a.c:1) for a message from the next higher rank with tag 5 on MPI_COMM_WORLD. ' +
        'Ranks 1,3,5,7 send one each with various tags (101,103,105,107), which nobody receives: the tags differ.',
    );
  });

  it('says of one pair which tags miss each other, where both sides have various ones', () => {
    const { sentence } = many(8, (rank) =>
      rank % 2 === 0
        ? receives(rank + 1, 200 + rank)
        : inCall('MPI_Ssend', { peer: rank - 1, tag: rank === 5 ? 300 : 200 + rank }),
    );
    assert.match(
      sentence,
      /Ranks 1,3,5,7 send one each with various tags \(201,203,207,300\), which nobody receives: the tags differ, as rank 0 waits for tag 200 and rank 1 has 201\.$/,
    );
  });

  it('names the pairs that miss each other in a way of their own, when there are many', () => {
    const { sentence } = many(12, (rank) => {
      const [other, where] = [rank ^ 1, `a.c:${rank}`];
      if (rank % 2 === 1) return inCall('MPI_Ssend', { peer: other, tag: 100, where });
      return inCall('MPI_Recv', { peer: other, tag: 5, where }, { queues: { posted: [{ peer: other, tag: 5 }] } });
    });
    assert.match(sentence, /Rank 7 sends one with tag 100, which nobody receives: the tags differ\. /);
    assert.match(sentence, /2 more pairs do likewise: ranks 8-9, ranks 10-11\.$/);
  });

  it('has one row for many ranks that wait for several others each, and a row for each of a few', () => {
    const side = 4;
    const neighbors = (rank: number, count: number): number[] =>
      [rank - side, rank - 1, rank + 1, rank + side].filter((other) => other >= 0 && other < count);
    const exchange = (count: number): string =>
      hangText(
        many(count, (rank) => {
          const posted = neighbors(rank, count).map((peer, index) => ({ handle: `0x${16 + index}`, peer, tag: 1 }));
          const requests = posted.map((each) => ({ ...each, operation: 'receive' as const }));
          const passed = posted.map(({ handle }) => ({ kind: 'request' as const, handle }));
          return inCall('MPI_Waitall', { requests: passed }, { requests, queues: { posted } });
        }),
      );
    assert.match(
      exchange(16),
      /^ {2}0-15 {2}MPI_Waitall \(a\.c:1\) on MPI_COMM_WORLD, waits for several ranks \(0 for 1,4; 1 for 0,2,5; … 15 for 11,14\)$/m,
    );
    assert.match(exchange(8), /^ {2}7 {2}MPI_Waitall \(a\.c:1\) on MPI_COMM_WORLD, waits for 3,6$/m);
  });

  it('does not list hundreds of ranks that do not follow each other', () => {
    const { sentence } = many(200, (rank) => inCall(rank % 2 === 0 ? 'MPI_Allreduce' : 'MPI_Barrier'));
    assert.match(
      sentence,
      /^100 ranks \(1,3,5,… 199\) are in MPI_Barrier .*, 100 ranks \(0,2,4,… 198\) are in MPI_Allreduce /,
    );
  });

  it('tells many roots of one call in one list', () => {
    const { sentence } = many(6, (root) => inCall('MPI_Bcast', { root, where: 'a.c:3' }));
    assert.equal(
      sentence,
      'Ranks 0-5 are in MPI_Bcast (a.c:3): rank 0 with root 0, rank 1 with root 1, … rank 5 with root 5: the roots differ.',
    );
  });
});
