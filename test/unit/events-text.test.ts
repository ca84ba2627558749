/** Events as text, as rows, and as a trace. */
import assert from 'node:assert/strict';
import { overlaySections } from '../../adapter/report/overlay-sections';
import { eventRows } from '../../plugin-api/answers/csv/events-csv';
import { eventData } from '../../plugin-api/answers/text/event-words';
import { eventsText } from '../../plugin-api/answers/text/events-text';
import { traceOf, type Trace } from '../../plugin-api/answers/trace/trace-events';
import { readOverlay } from '../../plugin-api/overlays/read-overlay';
import type { MpiTEvent, OverlayDocument } from '../../plugin-api/overlays/records';
import { MockRegion } from '../support/mock-region';

/** Two ranks with the same region, and one without a collector. */
async function document(): Promise<OverlayDocument> {
  const overlay = await readOverlay(new MockRegion().image, 'events', { last: 20, isWanted: () => true });
  const reason = 'the program was started without the collector';
  const none = { code: 'MPIDBG_ERR_UNAVAILABLE', reason } as const;
  const ranks = [0, 1].map((rank) => ({ rank, host: 'vm', pid: 4711 + rank, ...overlay }));
  return {
    schema: 'mpidbg/1',
    target: 'live',
    ranks: [...ranks, { rank: 2, host: 'vm', collector: none, events: none }],
  };
}

/** What the format's description (Trace Event Format, JSON object format) demands of the phases that there are. */
function assertTrace({ traceEvents, displayTimeUnit }: Trace): void {
  assert.ok(['ms', 'ns'].includes(displayTimeUnit));
  for (const event of traceEvents) {
    assert.ok(Number.isInteger(event.pid));
    assert.equal(typeof event.args, 'object');
    if (event.ph === 'M') {
      assert.ok(['process_name', 'process_sort_index'].includes(event.name));
      continue;
    }
    assert.equal(event.ph, 'i');
    assert.equal(event.s, 't');
    assert.ok(Number.isFinite(event.ts) && Number.isInteger(event.tid) && event.name !== '' && event.cat !== '');
  }
}

describe('events of MPI_T', () => {
  it('are a text', async () => {
    assert.equal(
      eventsText(await document(), false),
      `sources
  queues
    0-1  in the order of time, 1000 ticks a second, 7 dropped by the library
pml
  enqueued
    0-1  9 raised, 7 dropped by the library, buffered=no
last events (rank, seconds since its collector began)
  0  0.270000  enqueued  idle -1 busy 7 A, on MPI_COMM_WORLD
  0  0.400000  enqueued  7 events were dropped
  0  0.750000  enqueued  on MPI_COMM_WORLD, its data is not read
  1  0.270000  enqueued  idle -1 busy 7 A, on MPI_COMM_WORLD
  1  0.400000  enqueued  7 events were dropped
  1  0.750000  enqueued  on MPI_COMM_WORLD, its data is not read
  0-1  5 older records were overwritten
  2    the program was started without the collector
`,
    );
  });

  it('name an object by its handle, not by the number of it as well', () => {
    const element = (value: number): object => ({ datatype: 'MPI_UINT64_T', value });
    const event = {
      ...{ elements: [element(2), element(0x5641)], payload: 'copied' },
      refersTo: { kind: 'comm', handle: '0x5641' },
    } as unknown as MpiTEvent;
    assert.equal(eventData(event), '2, MPI_Comm 0x5641');
  });

  it('are a section of the report, beside the variables', async () => {
    const events = eventsText(await document(), false);
    const [section, ...others] = overlaySections({
      overlays: { variables: [], notes: [], events, openmp: '', calls: '' },
    });
    assert.deepEqual([section?.id, section?.title, others], ['events', 'MPI events', []]);
    assert.match(section?.content.markup ?? '', /9 raised, 7 dropped by the library/);
    const variables = [{ category: 'pml', title: 'length (size)', text: '3 0', ranks: '0-1' }];
    const [table] = overlaySections({ overlays: { variables, notes: [], events: '', openmp: '', calls: '' } });
    assert.match(table?.content.markup ?? '', /<td>3 0<\/td>/);
    assert.deepEqual(overlaySections({ overlays: undefined }), []);
  });

  it('are rows', async () => {
    const [first, notice] = eventRows(await document()).split('\n');
    assert.equal(first, '0,0.270000000,queues,enqueued,"idle -1 busy 7 A, on MPI_COMM_WORLD"');
    assert.equal(notice, '0,0.400000000,queues,enqueued,7 events were dropped');
  });

  it('are a trace: a process for each rank, and an instant for each event', async () => {
    const trace = traceOf(await document());
    assertTrace(trace);
    assert.equal(trace.traceEvents.length, 2 * (2 + 3));
    assert.deepEqual(trace.traceEvents.slice(5, 8), [
      { ph: 'M', name: 'process_name', pid: 1, args: { name: 'rank 1 on vm' } },
      { ph: 'M', name: 'process_sort_index', pid: 1, args: { sort_index: 1 } },
      {
        ...{ ph: 'i', s: 't', name: 'enqueued', cat: 'queues', ts: 270_000, pid: 1, tid: 4712 },
        args: { idle: -1, busy: 7, 'element 2': 'A', object: 'MPI_COMM_WORLD' },
      },
    ]);
  });
});
