/** OpenMP in a trace: pairs of begin and end, what has only begun, and moments. */
import assert from 'node:assert/strict';
import { omptTrace } from '../../plugin-api/answers/trace/ompt-trace';
import type { OmptRecord } from '../../plugin-api/overlays/ompt-records';

const record = (type: string, time: number, rest: Partial<OmptRecord> = {}): OmptRecord => ({
  ...{ type, time, thread: 7, fields: {} },
  ...rest,
});

describe('a trace of OpenMP', () => {
  it('has what lasts, what has begun, and moments', () => {
    const region = { fields: { parallel_id: 3 } };
    const barrier = { fields: { kind: 'barrier_explicit', parallel_id: 3, task_id: 9 } };
    const events = omptTrace(
      [
        record('sync_region_wait', 0.5, { endpoint: 'end', fields: { kind: 'taskwait', task_id: 1 } }),
        record('parallel_begin', 1, region),
        record('sync_region_wait', 1.5, { ...barrier, endpoint: 'begin' }),
        record('flush', 1.75),
        record('parallel_end', 2, region),
      ],
      0,
      10,
    );
    assert.deepEqual(
      events.map((event) => [event.ph, event.name, 'ts' in event ? event.ts : '', 'dur' in event ? event.dur : '']),
      [
        ['i', 'flush', 1_750_010, ''],
        ['X', 'parallel', 1_000_010, 1_000_000],
        ['B', 'sync_region_wait barrier_explicit', 1_500_010, ''],
      ],
    );
  });
});
