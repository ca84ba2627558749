/** The timeline: records of the collector as items, and their lanes. */
import assert from 'node:assert/strict';
import type { RankOverlay } from '../../../plugin-api/overlays/records';
import { Lanes } from '../../../extension/timeline/lanes';
import { RankFeed } from '../../../extension/timeline/rank-feed';
import type { TimelineItem } from '../../../extension/timeline/timeline-messages';
import { nameFilter } from '../../../extension/views/name-filter';
import { TimeRange } from '../../../extension/web/time-range';

const call = (name: string, begin: number, end?: number): TimelineItem => ({
  ...{ name, sort: 'call', begin, words: name },
  ...(end === undefined ? {} : { end }),
});

describe('what the timeline is fed', () => {
  const overlay = (parts: object): RankOverlay => ({ rank: 1, host: 'a', ...parts }) as unknown as RankOverlay;

  it('has calls and events of each thread, on the clock of all ranks, with their place and communicator', () => {
    const [first, second] = new RankFeed(0.5).take(
      overlay({
        calls: [
          {
            ...{ thread: 7, total: 1 },
            calls: [
              {
                ...{
                  name: 'MPI_Send',
                  begin: 1,
                  end: 2,
                  peer: 3,
                  comm: { kind: 'comm', handle: '0x9', name: 'ocean' },
                },
                code: { address: '0x1', file: '/src/solver.c', line: 88 },
              },
            ],
          },
        ],
        events: [{ type: 'arrived', time: 3, thread: 8, elements: [] }],
        lost: [{ thread: 8, before: 2.5 }],
      }),
    );
    assert.deepEqual(first, {
      thread: 7,
      items: [
        {
          ...{ name: 'MPI_Send', sort: 'call', begin: 1.5, end: 2.5, words: 'MPI_Send to 3 on "ocean"', comm: '0x9' },
          ...{ place: 'solver.c:88', source: { file: '/src/solver.c', line: 88 } },
        },
      ],
    });
    assert.deepEqual(second, {
      thread: 8,
      items: [{ name: 'arrived', sort: 'event', begin: 3.5, isMoment: true, words: 'arrived' }],
      lostBefore: 3,
    });
  });

  it('has notices of dropped events, since the last event of their type', () => {
    const feed = new RankFeed(0.5);
    const event = (type: string, time: number, more = {}): object => ({ type, time, thread: 8, elements: [], ...more });
    const take = (...events: object[]): unknown =>
      feed
        .take(overlay({ events }))
        .flatMap(({ items }) => items.map(({ words, droppedSince }) => [words, droppedSince]));
    assert.deepEqual(take(event('made', 2), event('made', 4, { dropped: 3 }), event('freed', 5, { dropped: 1 })), [
      ['made', undefined],
      ['made: 3 events were dropped', 2.5],
      ['freed: 1 event was dropped', 0.5],
    ]);
    // In another answer; the event that was raised before it comes after it.
    assert.deepEqual(take(event('made', 8, { delivered: 10 }), event('made', 9, { dropped: 2 })), [
      ['made: 2 events were dropped', 4.5],
      ['made', undefined],
    ]);
  });

  it('joins begins and ends of OpenMP that come in different answers', () => {
    const feed = new RankFeed(0);
    const ompt = (type: string, time: number): RankOverlay =>
      overlay({ ompt: { records: [{ type, time, thread: 7, fields: { parallel_id: 1 } }] } });
    const [begun] = feed.take(ompt('parallel_begin', 1));
    const [ended] = feed.take(ompt('parallel_end', 3));
    assert.deepEqual(
      [begun, ended].map((thread) => thread?.items.map(({ name, begin, end }) => [name, begin, end])),
      [[['parallel', 1, undefined]], [['parallel', 1, 3]]],
    );
  });
});

describe('the lanes of the timeline', () => {
  it('are by rank, with each call once, which ends when its end is told', () => {
    const lanes = new Lanes();
    lanes.add('2', [{ thread: 20, items: [call('MPI_Recv', 1)] }]);
    lanes.add('0', [{ thread: 9, items: [call('MPI_Send', 0.5, 0.6)] }]);
    lanes.add('2', [{ thread: 20, items: [call('MPI_Recv', 1, 2), call('MPI_Barrier', 3)] }]);
    lanes.add('2', [{ thread: 20, items: [call('MPI_Recv', 1, 2)] }]);
    assert.deepEqual(
      lanes.all.map(({ rank, calls }) => [rank, calls.map(({ name, end }) => [name, end])]),
      [
        ['0', [['MPI_Send', 0.6]]],
        [
          '2',
          [
            ['MPI_Recv', 2],
            ['MPI_Barrier', undefined],
          ],
        ],
      ],
    );
    assert.equal(lanes.first, 0.5);
    lanes.add('0.1:0', [{ thread: 9, items: [call('MPI_Recv', 1)] }]);
    lanes.add('10', [{ thread: 9, items: [call('MPI_Recv', 1)] }]);
    assert.deepEqual(
      lanes.all.map(({ rank }) => rank),
      ['0', '2', '10', '0.1:0'],
    );
  });

  it('have all events of one moment, as a source with a slow clock tells them', () => {
    const lanes = new Lanes();
    const event = (words: string): TimelineItem => ({ name: 'made', sort: 'event', begin: 1, isMoment: true, words });
    lanes.add('0', [{ thread: 1, items: [event('first'), event('second')] }]);
    lanes.add('0', [{ thread: 1, items: [event('third')] }]);
    assert.deepEqual(
      lanes.all[0]?.events.map(({ words }) => words),
      ['first', 'second', 'third'],
    );
  });

  it('have a gap from the last record that is known to the first one after it', () => {
    const lanes = new Lanes();
    lanes.add('0', [{ thread: 1, items: [call('MPI_Send', 1, 2)] }]);
    lanes.add('0', [{ thread: 1, items: [call('MPI_Send', 8, 9)], lostBefore: 8 }]);
    assert.deepEqual(lanes.all[0]?.gaps, [{ from: 2, to: 8 }]);
  });

  it('keep the last thousands, with a gap before them', () => {
    const lanes = new Lanes();
    const items = Array.from({ length: 6500 }, (_, i) => call('MPI_Send', i, i + 0.5));
    lanes.add('0', [{ thread: 1, items }]);
    assert.equal(lanes.all[0]?.calls.length, 5000);
    assert.deepEqual(lanes.all[0]?.gaps, [{ from: -Infinity, to: 1500 }]);
  });

  it('show how regions of OpenMP are inside one another', () => {
    const region = (begin: number, end?: number): TimelineItem => ({ ...call('work', begin, end), sort: 'openmp' });
    const lanes = new Lanes();
    lanes.add('0', [{ thread: 1, items: [region(2, 3), region(1, 5), region(6), region(7)] }]);
    const [lane] = lanes.all;
    assert.deepEqual([lane?.depths, lane?.maxDepth], [[0, 1, 0, 1], 2]);
  });
});

describe('the time that the timeline shows', () => {
  const range = (): TimeRange => Object.assign(new TimeRange(), { from: 10, to: 20, left: 100, width: 1000 });

  it('keeps what is under the pointer where it is, and the newest at the edge while it follows', () => {
    const free = Object.assign(range(), { isFollowing: false });
    free.zoom(0.5, 300);
    assert.deepEqual([free.from, free.to], [11, 16]);
    const following = range();
    following.follow(30);
    following.zoom(0.5, 300);
    following.follow(30);
    assert.deepEqual([following.from, following.to], [25.15, 30.15]);
    following.pan(100);
    assert.deepEqual([following.from, following.to, following.isFollowing], [25.65, 30.65, false]);
  });

  it('begins with what is known where nothing will come, and is zoomed where the pointer is', () => {
    const standing = Object.assign(new TimeRange(), { left: 0, width: 1000, isStanding: true });
    standing.fit(2, 3);
    assert.deepEqual([standing.from.toFixed(2), standing.to.toFixed(2)], ['1.97', '3.03']);
    standing.zoom(0.5, 0);
    assert.deepEqual([standing.from.toFixed(2), standing.to.toFixed(2), standing.isFollowing], ['1.97', '2.50', false]);
    const long = Object.assign(new TimeRange(), { left: 0, width: 1000, isStanding: true });
    long.fit(2, 600);
    assert.deepEqual([long.from.toFixed(2), long.to.toFixed(2)], ['595.15', '600.15']);
  });

  it('keeps what is selected off its edges', () => {
    const free = Object.assign(range(), { isFollowing: false });
    free.reveal(10, 10);
    assert.deepEqual([free.from, free.to], [9.7, 19.7]);
    free.zoomOn(10, 0.5);
    assert.deepEqual([free.from.toFixed(2), free.to.toFixed(2)], ['9.85', '14.85']);
    free.reveal(14.8, 14.8);
    assert.equal(free.to.toFixed(2), '14.95');
  });

  it('has round times on its axis', () => {
    assert.deepEqual(
      range()
        .ticks()
        .map(({ text }) => text),
      ['10 s', '11 s', '12 s', '13 s', '14 s', '15 s', '16 s', '17 s', '18 s', '19 s', '20 s'],
    );
  });
});

it('a filter of names takes a part of them, whatever the case, and * for any text', () => {
  const names = ['MPI_Irecv', 'MPI_Allreduce', 'MPI_Recv'];
  assert.deepEqual(names.filter(nameFilter('RECV')), ['MPI_Irecv', 'MPI_Recv']);
  assert.deepEqual(names.filter(nameFilter('mpi_*red*')), ['MPI_Allreduce']);
  assert.deepEqual(names.filter(nameFilter('')), names);
});
