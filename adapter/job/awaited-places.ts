/**
 * A rank that `run --stop-at` has started is to wait for a debugger at a place of its program. If the session is there before, the rank stops there
 * by the signal of the instruction that stands in that place: it is put back as it was, and waits no more.
 */
import {
  readStops,
  stopsFields,
  stopsSize,
  stopsSymbol,
  stopsTaken,
  stopsVariable,
} from '../../plugin-api/deaths/stop-record';
import { addressInC, dataReadMemoryBytes, dataWriteMemoryBytes } from '../gdb/mi/data-manipulation';
import { GdbError } from '../gdb/mi/mi-connection';
import { dropSignal } from '../gdb/mi/signals';
import type { Rank, RankThread } from './rank';
import { ownThread } from './rank-record';

/** The rank is held. A thread that has stopped for such a place has, in its `stop`, no signal then. */
export async function recognizeAwaitedPlace(rank: Rank): Promise<void> {
  for (const thread of rank.threads) {
    const { stop } = ownThread(thread);
    if (stop?.signal?.name !== 'SIGSEGV' || !(await mayWait(rank)) || !(await leavePlace(thread))) continue;
    delete stop.signal;
    stop.reason = 'breakpoint';
  }
}

async function mayWait(rank: Rank): Promise<boolean> {
  return (await rank.process?.environment().catch(() => undefined))?.has(stopsVariable) === true;
}

/** False: it is at no such place. */
async function leavePlace(thread: RankThread): Promise<boolean> {
  try {
    const [pc, at] = await Promise.all([addressInC(thread, '$pc'), addressInC(thread, `&${stopsSymbol}`)]);
    if (pc === undefined || at === undefined) return false;
    const [memory] = await dataReadMemoryBytes(thread, at, stopsSize);
    const places = memory?.bytes.length === stopsSize ? readStops(memory.bytes) : [];
    if (!places.some(({ address }) => address === pc)) return false;
    for (const { address, code } of places) await dataWriteMemoryBytes(thread, address, Uint8Array.of(code));
    const state = Uint8Array.of(stopsTaken, 0, 0, 0);
    await dataWriteMemoryBytes(thread, at + BigInt(stopsFields.state), state);
    await dropSignal(thread);
    return true;
  } catch (error) {
    if (error instanceof GdbError || error instanceof RangeError) return false;
    throw error;
  }
}
