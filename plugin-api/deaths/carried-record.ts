/** Decodes struct mpidbg_carried of adapter/collector/calls/carried.h. Whoever connects may have written it: it is words, never an instruction. */
import type { CodeRef } from '../mpi/code-ref';

/** What a rank has told of the first NaN, or the first infinity, that went out of it or came into it. Ranks are those of the communicator. */
export interface CarriedRecord {
  pid: number;
  /** In MPI_COMM_WORLD, as the launcher's environment says. */
  rank: number | undefined;
  direction: 'out' | 'in';
  isNan: boolean;
  /** Nanoseconds of a clock that the processes of a host share: when the call began that carried it out, or when it had come in. */
  time: bigint;
  /** Where the call returns to, and that which has completed it. */
  caller: bigint;
  completer: bigint | undefined;
  /** As C has the handle; undefined: it is not known. */
  comm: { handle: bigint; name: string; rank: number; size: number } | undefined;
  /** `comm` is a window. */
  isOnWindow: boolean;
  /** Among the numbers of the buffer, from 0. */
  ordinal: number;
  /** How often the process has come to this call, this time included; undefined: it is not known. */
  times: number | undefined;
  /** undefined: the call has none. */
  peer: number | 'any' | undefined;
  tag: number | 'any' | undefined;
  root: number | undefined;
  /** "MPI_Irecv", "MPI_Waitall" */
  call: string;
  completedBy: string | undefined;
}

export const carriedRecordSize = 384;

const magic = 'mpidbgC1';

/** In the order of the struct; a test compares it with the C compiler's. */
export const carriedFields = {
  ...{ magic: 0, bytes: 8, pid: 12, rank: 16, flags: 20, time: 24, caller: 32, completer: 40, object: 48, ordinal: 56 },
  ...{ count: 64, own: 72, size: 76, peer: 80, tag: 84, root: 88, times: 92, function: 96, completed_by: 144 },
  ...{ name: 192, datatype: 320 },
} as const;

const flags = { into: 1, nan: 2, onWindow: 4 };
const any = -(2 ** 31);
const none = any + 2;

export function beginsCarried(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && textOf(bytes, 0, magic.length) === magic;
}

/** Decodes a whole record. */
export function readCarried(bytes: Uint8Array): CarriedRecord {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const i32 = (field: keyof typeof carriedFields): number => data.getInt32(carriedFields[field], true);
  const u64 = (field: keyof typeof carriedFields): bigint => data.getBigUint64(carriedFields[field], true);
  const numberOf = (field: 'peer' | 'tag'): number | 'any' | undefined =>
    i32(field) === any ? 'any' : i32(field) < 0 ? undefined : i32(field);
  const bits = i32('flags');
  const handle = u64('object');
  const comm = { handle, name: textOf(bytes, carriedFields.name, 128), rank: i32('own'), size: i32('size') };
  return {
    pid: data.getUint32(carriedFields.pid, true),
    rank: i32('rank') < 0 ? undefined : i32('rank'),
    direction: (bits & flags.into) === 0 ? 'out' : 'in',
    isNan: (bits & flags.nan) !== 0,
    time: u64('time'),
    caller: u64('caller'),
    completer: u64('completer') || undefined,
    comm: handle === 0n ? undefined : comm,
    isOnWindow: (bits & flags.onWindow) !== 0,
    times: i32('times') > 0 ? i32('times') : undefined,
    ordinal: Number(u64('ordinal')),
    peer: numberOf('peer'),
    tag: numberOf('tag'),
    root: i32('root') === none || i32('root') < 0 ? undefined : i32('root'),
    call: textOf(bytes, carriedFields.function, 48),
    completedBy: textOf(bytes, carriedFields.completed_by, 48) || undefined,
  };
}

/** Up to a zero byte. */
function textOf(bytes: Uint8Array, at: number, size: number): string {
  const field = bytes.subarray(at, at + size);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** A record with what else is known of it. */
export interface Carried extends CarriedRecord {
  rank: number;
  place: CodeRef | undefined;
  completedAt: CodeRef | undefined;
  /** In MPI_COMM_WORLD; undefined: it is not known. */
  peerInWorld: number | undefined;
}
