/** The enumerators of omp-tools.h (OpenMP 5.1, and what 5.2 adds), without prefix. */

/** By their number. */
export type Words = Readonly<Record<number, string>>;

function numbered(first: number, ...words: readonly string[]): Words {
  return Object.fromEntries(words.map((word, i) => [first + i, word]));
}

/** ompt_set_result_t */
export const setAnswers = ['error', 'never', 'impossible', 'sometimes', 'sometimes_paired', 'always'] as const;
/** ompt_thread_t */
export const threadTypes = ['unknown', 'initial', 'worker', 'other', 'unknown'] as const;
/** ompt_scope_endpoint_t */
export const endpoints = [undefined, 'begin', 'end', 'beginend'] as const;

export const words = {
  thread: numbered(1, 'initial', 'worker', 'other', 'unknown'),
  endpoint: numbered(1, 'begin', 'end', 'beginend'),
  dispatch: numbered(1, 'iteration', 'section', 'ws_loop_chunk', 'taskloop_chunk', 'distribute_chunk'),
  syncRegion: numbered(
    ...([1, 'barrier', 'barrier_implicit', 'barrier_explicit', 'barrier_implementation', 'taskwait'] as const),
    ...([
      'taskgroup',
      'reduction',
      'barrier_implicit_workshare',
      'barrier_implicit_parallel',
      'barrier_teams',
    ] as const),
  ),
  work: {
    ...numbered(
      1,
      'loop',
      'sections',
      'single_executor',
      'single_other',
      'workshare',
      'distribute',
      'taskloop',
      'scope',
    ),
    ...numbered(10, 'loop_static', 'loop_dynamic', 'loop_guided', 'loop_other'),
  },
  mutex: numbered(1, 'lock', 'test_lock', 'nest_lock', 'test_nest_lock', 'critical', 'atomic', 'ordered'),
  taskStatus: {
    ...numbered(1, 'complete', 'yield', 'cancel', 'detach', 'early_fulfill', 'late_fulfill', 'switch'),
    8: 'taskwait_complete',
  },
  dependence: {
    ...numbered(1, 'in', 'out', 'inout', 'mutexinoutset', 'source', 'sink', 'inoutset'),
    ...numbered(34, 'out_all_memory', 'inout_all_memory'),
  },
  target: {
    ...numbered(1, 'target', 'enter_data', 'exit_data', 'update'),
    ...numbered(9, 'nowait', 'enter_data_nowait', 'exit_data_nowait', 'update_nowait'),
  },
  dataOperation: {
    ...numbered(1, 'alloc', 'transfer_to_device', 'transfer_from_device', 'delete', 'associate', 'disassociate'),
    ...numbered(17, 'alloc_async', 'transfer_to_device_async', 'transfer_from_device_async', 'delete_async'),
  },
  severity: numbered(1, 'warning', 'fatal'),
} as const satisfies Record<string, Words>;

/** By their bit. */
export const flags = {
  parallel: {
    0x1: 'invoker_program',
    0x2: 'invoker_runtime',
    0x4000_0000: 'league',
    0x8000_0000: 'team',
  },
  task: {
    ...{ 0x1: 'initial', 0x2: 'implicit', 0x4: 'explicit', 0x8: 'target', 0x10: 'taskwait' },
    ...{ 0x800_0000: 'undeferred', 0x1000_0000: 'untied', 0x2000_0000: 'final' },
    ...{ 0x4000_0000: 'mergeable', 0x8000_0000: 'merged' },
  },
  cancel: {
    ...{ 0x1: 'parallel', 0x2: 'sections', 0x4: 'loop', 0x8: 'taskgroup' },
    ...{ 0x10: 'activated', 0x20: 'detected', 0x40: 'discarded_task' },
  },
  targetMap: { 0x1: 'to', 0x2: 'from', 0x4: 'alloc', 0x8: 'release', 0x10: 'delete', 0x20: 'implicit' },
} as const satisfies Record<string, Words>;

/** The names of the bits that are set; what has no name is a number. */
export function flagNames(value: number, names: Words): string[] {
  let rest = value >>> 0;
  const found: string[] = [];
  for (const [bit, name] of Object.entries(names)) {
    if ((rest & Number(bit)) === 0) continue;
    rest = (rest & ~Number(bit)) >>> 0;
    found.push(name);
  }
  return rest === 0 ? found : [...found, `0x${rest.toString(16)}`];
}
