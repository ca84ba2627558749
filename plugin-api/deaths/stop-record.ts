/** Decodes struct mpidbg_stop of adapter/collector/deaths/stop-record.h. Whoever connects may have written it: it is words, never an instruction. */

/** What a rank has told that is to wait for a debugger at a place of its program. */
export interface StopRecord {
  /** asked: it waits for the addresses of the place; reached: it waits there. */
  kind: 'asked' | 'reached';
  pid: number;
  /** In MPI_COMM_WORLD, as the launcher's environment says. */
  rank: number | undefined;
  /** It is about to call MPI_Init: what it has not loaded by now is not part of the program as it starts. */
  isAtInit: boolean;
  /** It has not waited: a session that came before stopped it there. */
  isTaken: boolean;
  /** Where it waits. */
  address: bigint;
}

export const stopRecordSize = 40;

const magic = 'mpidbgS1';

/** In the order of the struct; a test compares it with the C compiler's. */
export const stopFields = { magic: 0, bytes: 8, kind: 12, pid: 16, flags: 20, rank: 24, address: 32 } as const;

const atInit = 1;
const taken = 2;
const reached = 2;

export function beginsStop(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && new TextDecoder().decode(bytes.subarray(0, magic.length)) === magic;
}

/** Decodes a whole record. */
export function readStop(bytes: Uint8Array): StopRecord {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rank = data.getInt32(stopFields.rank, true);
  return {
    kind: data.getUint32(stopFields.kind, true) === reached ? 'reached' : 'asked',
    pid: data.getUint32(stopFields.pid, true),
    rank: rank < 0 ? undefined : rank,
    isAtInit: (data.getUint32(stopFields.flags, true) & atInit) !== 0,
    isTaken: (data.getUint32(stopFields.flags, true) & taken) !== 0,
    address: data.getBigUint64(stopFields.address, true),
  };
}

/** The variable of the environment that a rank has which is to wait, and the symbol of its struct mpidbg_stops. */
export const stopsVariable = 'MPIDBG_STOP_AT';
export const stopsSymbol = 'mpidbg_stops';

/** By name, in bytes, of struct mpidbg_stops; a test compares it with the C compiler's. */
export const stopsFields = { count: 0, state: 4, places: 8 } as const;
const maxPlaces = 64;
const placeSize = 16;
export const stopsSize = stopsFields.places + maxPlaces * placeSize;
/** Its `state`, once a session has stopped the rank at one of them. */
export const stopsTaken = 2;

/** Where the rank is to wait, each with the byte of code that belongs there. Throws RangeError if that cannot be. */
export function readStops(bytes: Uint8Array): { address: bigint; code: number }[] {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = data.getUint32(stopsFields.count, true);
  if (count > maxPlaces) throw new RangeError(`${count} places`);
  return Array.from({ length: count }, (_, i) => {
    const at = stopsFields.places + i * placeSize;
    return { address: data.getBigUint64(at, true), code: data.getUint8(at + 8) };
  });
}
