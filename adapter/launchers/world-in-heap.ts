/** The name of a process' MPI_COMM_WORLD that MPI_Init has asked the launcher for, where no variable of the environment has it. */
import type { RankEnvironment } from '../../plugin-api/mpi/facts';
import { FaultError } from '../../plugin-api/result';
import type { HostProcess } from '../hosts/host-process';
import { ProcessAccessError } from '../hosts/process-access-error';

type WorldText = NonNullable<RankEnvironment['worldInHeap']>;

/** MPI_Init runs early: the name is in the heap's first few hundred KiB. Bytes. */
export const searchedHeap = 1 << 22;
const maxNameLength = 256;

export function worldNamedIn(memory: Buffer, { start, pattern }: WorldText): string | undefined {
  for (let at = memory.indexOf(start); at >= 0; at = memory.indexOf(start, at + 1)) {
    const found = pattern.exec(memory.toString('latin1', at, at + maxNameLength))?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined before MPI_Init, and where the heap cannot be read. */
export async function worldInHeapOf(process: HostProcess, text: WorldText): Promise<string | undefined> {
  const memory = process.openMemory();
  try {
    const heap = (await process.maps()).find(({ path }) => path === '[heap]');
    if (heap === undefined) return undefined;
    const length = Math.min(searchedHeap, Number(heap.end - heap.start));
    return worldNamedIn(Buffer.from(await memory.read(heap.start, length)), text);
  } catch (error) {
    if (error instanceof ProcessAccessError || error instanceof FaultError) return undefined;
    throw error;
  } finally {
    memory.close();
  }
}
