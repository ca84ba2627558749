/** Decodes struct mpidbg_death of adapter/collector/deaths/record.h. Whoever connects may have written it: it is words, never an instruction. */
import { usualProcessor } from '../processor/known/processors';
import { Registers } from '../processor/registers';
import { fatalException, pythonStack, pythonTraceback } from './python-text';
import { floatKinds, type Death, type DeathKind, type DeathObject } from './death';

/** The bytes of the record as we know it; newer libraries send more. */
export const deathRecordSize = 7976;

/** No library sends more. */
const maxDeathRecordSize = 65_536;

/** Where each field lies, in the order of the struct; a test compares it with the C compiler's. */
export const deathFields = {
  magic: 0,
  bytes: 8,
  kind: 12,
  pid: 16,
  tid: 20,
  time: 24,
  sequence: 32,
  flags: 36,
  rank: 40,
  status: 44,
  signal: 48,
  signal_code: 52,
  address: 56,
  sender: 64,
  registers_known: 68,
  registers: 72,
  object: 208,
  object_kind: 216,
  error_code: 220,
  error_class: 224,
  tail_bytes: 228,
  handler: 232,
  thrown: 240,
  fault: 248,
  function: 304,
  error_text: 368,
  words: 1392,
  type: 2416,
  tail: 2672,
  float_flags: 3184,
  exception: 3192,
  exception_type: 3200,
  type_name: 3208,
  python: 3720,
  error_caller: 7816,
  error_stack: 7824,
  error_function: 7832,
  left_from: 7896,
  left_status: 7904,
  left_function: 7912,
} as const;

type Field = keyof typeof deathFields;

const magic = 'mpidbgD1';

/** By number, from 1. */
const kinds: readonly DeathKind[] = [
  'signal',
  'mpiError',
  'mpiAbort',
  'assert',
  'abort',
  'terminate',
  'pureVirtual',
  'fortranStop',
  'fortranErrorStop',
  'fortranError',
  'exit',
  'return',
  'mpiEnds',
  'float',
  'pythonException',
  'sanitizer',
];

const objects: readonly DeathObject[] = ['comm', 'win', 'file', 'session'];

/** Deaths that always have a status. */
const givesStatus: readonly DeathKind[] = ['mpiAbort', 'exit', 'return'];

/** The flags of a floating point exception, in the order of floatKinds. */
const floatFlags = [1, 4, 8];

const flags = {
  ...{ atCall: 1, handlerExits: 2, ownHandler: 4, mpiIsUp: 8, mpiIsOver: 16, sent: 32 },
  ...{ fortranHandle: 64, stackIsFull: 128, mpiIsUnknown: 256, goesOn: 512, pythonIsOver: 1024 },
  ...{ inCatch: 2048, errorReturned: 4096 },
};

/** How long the record is that begins so; undefined: not known yet. Throws RangeError for what is none. */
export function deathRecordLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < deathFields.bytes + 4) return undefined;
  if (textOf(bytes, 0, magic.length) !== magic) throw new RangeError('it is no record of a death');
  const length = view(bytes).getUint32(deathFields.bytes, true);
  if (length < deathRecordSize || length > maxDeathRecordSize) throw new RangeError('it has an impossible length');
  return length;
}

/** No death: a rank has begun. */
const notYet = 0;

/** undefined: the record is of a death. */
export function readBeginning(bytes: Uint8Array): { pid: number; rank: number } | undefined {
  const data = view(bytes);
  if (data.getUint32(deathFields.kind, true) !== notYet) return undefined;
  return { pid: data.getUint32(deathFields.pid, true), rank: data.getInt32(deathFields.rank, true) };
}

/** Decodes the whole record of a death. */
export function readDeath(bytes: Uint8Array): Death {
  const data = view(bytes);
  const u32 = (field: Field): number => data.getUint32(deathFields[field], true);
  const i32 = (field: Field): number => data.getInt32(deathFields[field], true);
  const u64 = (field: Field): bigint => data.getBigUint64(deathFields[field], true);
  const text = (field: Field, size: number): string => textOf(bytes, deathFields[field], size);
  const has = (flag: number): boolean => (u32('flags') & flag) !== 0;
  const signal = i32('signal');
  const object = objects[u32('object_kind') - 1];
  const isFortran = has(flags.fortranHandle);
  const code = i32('error_code');
  const kind = kinds[u32('kind') - 1] ?? 'other';
  const python = text('python', 4096);
  return {
    kind,
    pid: u32('pid'),
    tid: u32('tid'),
    time: u64('time'),
    rank: i32('rank') < 0 ? undefined : i32('rank'),
    mpi: mpiOf(has),
    // -1 is a number that programs give to these, too.
    status: i32('status') === -1 && !givesStatus.includes(kind) ? undefined : i32('status'),
    signal:
      signal === 0
        ? undefined
        : {
            ...{ number: signal, code: i32('signal_code'), address: u64('address') },
            sender: has(flags.sent) ? i32('sender') : undefined,
          },
    ...{
      handlerExits: has(flags.handlerExits),
      ownHandler: has(flags.ownHandler)
        ? { function: text('error_function', 64), caller: u64('error_caller'), stackPointer: u64('error_stack') }
        : undefined,
      returnedBy: has(flags.errorReturned) ? text('error_function', 64) : undefined,
      isInCatch: has(flags.inCatch),
      isStackFull: has(flags.stackIsFull),
      goesOn: has(flags.goesOn),
    },
    stack: stackOf(data, has(flags.atCall)),
    object:
      object === undefined || (u64('object') === 0n && !isFortran)
        ? undefined
        : { kind: object, handle: u64('object'), isFortran },
    error: code === 0 ? undefined : { code, class: i32('error_class') || undefined, text: text('error_text', 1024) },
    floatKinds: floatKinds.filter((_, index) => (u32('float_flags') & floatFlags[index]!) !== 0),
    thrown: u64('thrown') || undefined,
    left:
      u64('left_from') === 0n
        ? undefined
        : { address: u64('left_from'), status: i32('left_status'), function: text('left_function', 64) },
    exception: u64('exception') === 0n ? undefined : { object: u64('exception'), typeInfo: u64('exception_type') },
    typeName: text('type_name', 512),
    python: pythonOf(
      python,
      has(flags.pythonIsOver),
      kind === 'mpiAbort' && !has(flags.inCatch) ? text('words', 1024) : '',
    ),
    function: text('function', 64),
    words: text('words', 1024),
    type: text('type', 256),
    tail: textOf(bytes, deathFields.tail, Math.min(u32('tail_bytes'), 512)),
  };
}

/** `fatal`: what mpi4py has printed. */
function pythonOf(text: string, isOver: boolean, fatal: string): Death['python'] {
  if (isOver) return { isOver, ...pythonTraceback(text) };
  const frames = pythonStack(text);
  const callback = fatalException(fatal);
  if (frames.length === 0 && callback === undefined) return undefined;
  return { isOver, frames, ...(callback && { callback }) };
}

function mpiOf(has: (flag: number) => boolean): Death['mpi'] {
  if (has(flags.mpiIsOver)) return 'over';
  if (has(flags.mpiIsUp)) return 'up';
  return has(flags.mpiIsUnknown) ? 'unknown' : 'before';
}

function stackOf(data: DataView, isCaller: boolean): Death['stack'] {
  const known = data.getUint32(deathFields.registers_known, true);
  const register = (number: number): bigint | undefined =>
    (known & (1 << number)) === 0 ? undefined : data.getBigUint64(deathFields.registers + 8 * number, true);
  const address = register(usualProcessor.dwarfProgramCounter);
  const registers = new Registers(usualProcessor, usualProcessor.dwarfNumbers.map(register));
  return address === undefined || registers.stackPointer === undefined ? undefined : { address, registers, isCaller };
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Up to a zero byte. */
function textOf(bytes: Uint8Array, at: number, size: number): string {
  const field = bytes.subarray(at, at + size);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}
