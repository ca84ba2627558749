/** What an OpenMP runtime tells as events of a trace: from a begin to its end on the same thread, else an instant. */
import type { FieldValue, OmptRecord } from '../../overlays/ompt-records';
import { placeText } from '../text/calls-text';
import type { TraceEvent } from './trace-event';

/** What has begun and not ended. */
export type OpenRecords = Map<string, OmptRecord>;

/** `pid`: what a viewer takes for the number of a process. `offset`: microseconds. `open`: of earlier records, and of these. */
export function omptTrace(
  records: readonly OmptRecord[],
  pid: number,
  offset: number,
  open: OpenRecords = new Map(),
): TraceEvent[] {
  const events: TraceEvent[] = [];
  const common = (
    record: OmptRecord,
  ): Pick<TraceEvent & { ph: 'B' }, 'name' | 'cat' | 'ts' | 'pid' | 'tid' | 'args'> => ({
    ...{ name: nameOf(record), cat: 'OpenMP', ts: offset + record.time * 1e6, pid, tid: record.thread },
    args: argsOf(record),
  });
  for (const record of records) {
    const side = sideOf(record);
    if (side === 'begin') open.set(keyOf(record), record);
    const begin = side === 'end' ? open.get(keyOf(record)) : undefined;
    if (begin !== undefined) {
      open.delete(keyOf(record));
      events.push({ ph: 'X', ...common(begin), dur: (record.time - begin.time) * 1e6 });
      // The begin of what has ended is no longer in the rings otherwise.
    } else if (side === undefined) events.push({ ph: 'i', s: 't', ...common(record) });
  }
  return [...events, ...[...open.values()].map((record): TraceEvent => ({ ph: 'B', ...common(record) }))];
}

function sideOf({ type, endpoint }: OmptRecord): 'begin' | 'end' | undefined {
  if (endpoint === 'begin' || type === 'parallel_begin') return 'begin';
  return endpoint === 'end' || type === 'parallel_end' ? 'end' : undefined;
}

/** The same of a begin and its end. A thread works for several regions at a time, for each of which it has one of a sort. */
function keyOf({ thread, type, fields }: OmptRecord): string {
  const sort = type.replace(/^parallel_(begin|end)$/, 'parallel');
  const id = fields.task_id ?? fields.parallel_id ?? fields.host_op_id ?? fields.wait_id;
  return JSON.stringify([thread, sort, kindOf(fields), id]);
}

function kindOf(fields: Record<string, FieldValue>): FieldValue | undefined {
  return fields.kind ?? fields.wstype;
}

function nameOf({ type, fields }: OmptRecord): string {
  const kind = kindOf(fields);
  const sort = type.replace(/^parallel_(begin|end)$/, 'parallel');
  return typeof kind === 'string' ? `${sort} ${kind}` : sort;
}

function argsOf({ fields, code }: OmptRecord): Record<string, unknown> {
  const { file, line } = code ?? {};
  return {
    ...fields,
    ...(code === undefined ? {} : { place: placeText(code) }),
    ...(file === undefined || line === undefined ? {} : { file, line }),
  };
}
