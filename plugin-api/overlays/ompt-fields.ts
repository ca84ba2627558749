/** What the records of OMPT's callbacks, and of what devices trace, have in them (adapter/collector/ompt/callbacks.c). */
import { decodeText } from '../struct';
import type { FieldValue } from './ompt-records';
import { endpoints, flagNames, flags, words, type Words } from './ompt-words';
import type { Texts } from './region';
import { integer } from './values';

/** How a word is shown. 'endpoint': a callback's is not among its words. 'traced': only devices know it. */
type Kind =
  'integer' | 'signed' | 'address' | 'text' | 'endpoint' | 'traced' | 'rest' | { words: Words } | { flags: Words };

type Field = readonly [name: string, kind: Kind];

interface Callback {
  name: string;
  fields: readonly Field[];
}

const code: Field = ['codeptr_ra', 'address'];
const endpoint: Field = ['endpoint', 'endpoint'];
const waitId: Field = ['wait_id', 'address'];
const inTask: readonly Field[] = [
  ['parallel_id', 'integer'],
  ['task_id', 'integer'],
];
const id = (name: string): Field => [name, 'integer'];
const sync: readonly Field[] = [['kind', { words: words.syncRegion }], endpoint, ...inTask, code];
const acquire: readonly Field[] = [['kind', { words: words.mutex }], id('hint'), id('impl'), waitId, code];
const mutex: readonly Field[] = [['kind', { words: words.mutex }], waitId, code];
const target: readonly Field[] = [
  ...([['kind', { words: words.target }], endpoint, ['device_num', 'signed']] as const),
  ...[id('task_id'), id('target_id'), code],
];
const dataOperation: readonly Field[] = [
  ...([id('host_op_id'), ['optype', { words: words.dataOperation }]] as const),
  ...([
    ['src_addr', 'address'],
    ['src_device_num', 'signed'],
    ['dest_addr', 'address'],
  ] as const),
  ...([['dest_device_num', 'signed'], id('bytes'), ['end_time', 'traced'], code] as const),
];
const submit: readonly Field[] = [
  ...([id('host_op_id'), id('requested_num_teams')] as const),
  ...([
    ['granted_num_teams', 'traced'],
    ['end_time', 'traced'],
  ] as const),
];
const map: readonly Field[] = [id('target_id'), id('nitems'), code, ['', 'rest']];
const device: Field = ['device_num', 'signed'];

/** At their number in omp-tools.h. */
const callbacks: readonly (Callback | undefined)[] = [
  undefined,
  { name: 'thread_begin', fields: [['thread_type', { words: words.thread }]] },
  { name: 'thread_end', fields: [] },
  {
    name: 'parallel_begin',
    fields: [
      ...[id('encountering_task_id'), id('parallel_id'), id('requested_parallelism')],
      ...([['flags', { flags: flags.parallel }], code] as const),
    ],
  },
  {
    name: 'parallel_end',
    fields: [id('parallel_id'), id('encountering_task_id'), ['flags', { flags: flags.parallel }], code],
  },
  {
    name: 'task_create',
    fields: [
      ...[id('encountering_task_id'), id('new_task_id')],
      ...([['flags', { flags: flags.task }], id('has_dependences'), code] as const),
    ],
  },
  {
    name: 'task_schedule',
    fields: [id('prior_task_id'), ['prior_task_status', { words: words.taskStatus }], id('next_task_id')],
  },
  {
    name: 'implicit_task',
    fields: [endpoint, ...inTask, id('actual_parallelism'), id('index'), ['flags', { flags: flags.task }]],
  },
  { name: 'target', fields: target },
  { name: 'target_data_op', fields: dataOperation },
  { name: 'target_submit', fields: submit },
  { name: 'control_tool', fields: [id('command'), id('modifier'), code] },
  {
    name: 'device_initialize',
    fields: [device, ['type', 'text'], ['device', 'address'], ['lookup', 'address'], ['documentation', 'text']],
  },
  { name: 'device_finalize', fields: [device] },
  {
    name: 'device_load',
    fields: [
      ...([device, ['filename', 'text'], ['offset_in_file', 'signed'], ['vma_in_file', 'address']] as const),
      ...([id('bytes'), ['host_addr', 'address'], ['device_addr', 'address'], id('module_id')] as const),
    ],
  },
  { name: 'device_unload', fields: [device, id('module_id')] },
  { name: 'sync_region_wait', fields: sync },
  { name: 'mutex_released', fields: mutex },
  { name: 'dependences', fields: [id('task_id'), id('ndeps'), ['', 'rest']] },
  { name: 'task_dependence', fields: [id('src_task_id'), id('sink_task_id')] },
  { name: 'work', fields: [['wstype', { words: words.work }], endpoint, ...inTask, id('count'), code] },
  { name: 'masked', fields: [endpoint, ...inTask, code] },
  { name: 'target_map', fields: map },
  { name: 'sync_region', fields: sync },
  { name: 'lock_init', fields: acquire },
  { name: 'lock_destroy', fields: mutex },
  { name: 'mutex_acquire', fields: acquire },
  { name: 'mutex_acquired', fields: mutex },
  { name: 'nest_lock', fields: [endpoint, waitId, code] },
  { name: 'flush', fields: [code] },
  { name: 'cancel', fields: [id('task_id'), ['flags', { flags: flags.cancel }], code] },
  { name: 'reduction', fields: sync },
  { name: 'dispatch', fields: [...inTask, ['kind', { words: words.dispatch }], id('instance'), ['', 'rest']] },
  { name: 'target_emi', fields: target },
  { name: 'target_data_op_emi', fields: dataOperation },
  { name: 'target_submit_emi', fields: submit },
  { name: 'target_map_emi', fields: map },
  { name: 'error', fields: [['severity', { words: words.severity }], id('length'), code, ['', 'rest']] },
];

/** Numbers and names of all callbacks. */
export const callbackNames: readonly (readonly [number, string])[] = callbacks.flatMap((callback, number) =>
  callback === undefined ? [] : [[number, callback.name] as const],
);

/** "parallel_begin"; undefined: omp-tools.h has none with this number. */
export function callbackName(number: number): string | undefined {
  return callbacks[number]?.name;
}

/** `endpointOf`: that of a callback; undefined: a device has traced the record, with all fields in it. */
export function fieldsOf(
  number: number,
  values: readonly bigint[],
  texts: Texts,
  endpointOf: number | undefined,
): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = {};
  let next = 0;
  for (const [name, kind] of callbacks[number]?.fields ?? []) {
    if (kind === 'rest') {
      // The lists that a device's record points to are not copied.
      if (endpointOf !== undefined || next < values.length)
        Object.assign(fields, restOf(number, fields, values.slice(next)));
    } else if (kind === 'endpoint' && endpointOf !== undefined) fields[name] = endpoints[endpointOf] ?? endpointOf;
    else if (kind !== 'traced' || endpointOf === undefined) fields[name] = valueOf(values[next++] ?? 0n, kind, texts);
  }
  return fields;
}

function valueOf(word: bigint, kind: Exclude<Kind, 'rest'>, texts: Texts): FieldValue {
  switch (kind) {
    case 'integer':
    case 'traced':
      return integer(word);
    case 'signed':
      return integer(BigInt.asIntN(64, word));
    case 'address':
      return word === 0n ? null : `0x${word.toString(16)}`;
    case 'text':
      return word === 0n ? null : texts.at(Number(word));
    case 'endpoint':
      return words.endpoint[Number(word)] ?? integer(word);
    default:
      return 'flags' in kind
        ? flagNames(Number(word & 0xffff_ffffn), kind.flags)
        : (kind.words[Number(word)] ?? integer(word));
  }
}

/** Lists, as far as the record has room for them, and messages. */
function restOf(
  number: number,
  fields: Record<string, FieldValue>,
  values: readonly bigint[],
): Record<string, FieldValue> {
  const name = callbackName(number);
  const address = (word = 0n): string => `0x${word.toString(16)}`;
  if (name === 'error') return { message: textOf(values, Number(fields.length ?? 0)) };
  if (name === 'dependences')
    return {
      dep: inPieces(values, 2).map(([variable, type = 0n]) => ({
        variable: address(variable),
        dependence_type: words.dependence[Number(type)] ?? integer(type),
      })),
    };
  if (name === 'dispatch') {
    const [start, iterations] = values;
    return start === undefined || iterations === undefined
      ? {}
      : { start: integer(start), iterations: integer(iterations) };
  }
  const items = inPieces(values, 4);
  return {
    host_addr: items.map(([host]) => address(host)),
    device_addr: items.map(([, onDevice]) => address(onDevice)),
    bytes: items.map(([, , bytes = 0n]) => integer(bytes)),
    mapping_flags: items.map(([, , , bits = 0n]) => flagNames(Number(bits & 0xffff_ffffn), flags.targetMap).join(' ')),
  };
}

function inPieces(values: readonly bigint[], length: number): bigint[][] {
  const pieces = Math.floor(values.length / length);
  return Array.from({ length: pieces }, (_, i) => values.slice(length * i, length * (i + 1)));
}

function textOf(values: readonly bigint[], length: number): string {
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((word, i) => bytes.setBigUint64(8 * i, word, true));
  return decodeText(new Uint8Array(bytes.buffer, 0, Math.min(length, bytes.byteLength)));
}
