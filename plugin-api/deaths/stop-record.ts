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
  /** Where it waits. */
  address: bigint;
}

export const stopRecordSize = 40;

const magic = 'mpidbgS1';

/** In the order of the struct; a test compares it with the C compiler's. */
export const stopFields = { magic: 0, bytes: 8, kind: 12, pid: 16, flags: 20, rank: 24, address: 32 } as const;

const atInit = 1;
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
    address: data.getBigUint64(stopFields.address, true),
  };
}
