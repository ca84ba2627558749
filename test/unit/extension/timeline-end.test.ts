/** The end of a timeline: it goes on only while ranks run. */
import assert from 'node:assert/strict';
import { TimelineEnd } from '../../../extension/timeline/timeline-end';
import type { ThreadItems } from '../../../extension/timeline/timeline-messages';

const itemsAt = (begin: number, end?: number): ThreadItems[] =>
  [{ thread: 1, items: [{ name: 'MPI_Recv', begin, ...(end === undefined ? {} : { end }) }] }] as ThreadItems[];

describe('the end of a timeline', () => {
  it('is the last that is known, where no rank has run since it was opened', () => {
    const end = new TimelineEnd();
    end.see(itemsAt(1, 2));
    end.see(itemsAt(3));
    assert.deepEqual([end.at(60, false), end.at(61, false)], [3, 3]);
  });

  it('is when all ranks were seen to stand, and moves again when one runs', () => {
    const end = new TimelineEnd();
    end.see(itemsAt(1, 2));
    const seen = [end.at(5, true), end.at(6, false), end.at(9, false), end.at(10, true), end.at(11, false)];
    assert.deepEqual(seen, [5, 6, 6, 10, 11]);
  });

  it('begins anew in another session', () => {
    const end = new TimelineEnd();
    end.see(itemsAt(7));
    end.at(8, true);
    end.forget();
    assert.equal(end.at(3, false), 0);
  });
});
