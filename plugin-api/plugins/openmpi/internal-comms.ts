/**
 * The communicators that Open MPI made for its own use, and what each serves. Nothing in such a communicator marks
 * it, only what points to it.
 */
import { once } from '../../once';
import { guard } from '../../result';
import type { Decoder } from './handles';
import { liveComms, liveFiles, liveWins } from './live-handles';
import { partitionedComms } from './partitioned';
import { ompioFileSpec } from './specs';
import { moduleComm } from './win-module';

/** Those of components other than windows, files, intercommunicators and partitioned operations are not recognised. */
export async function isInternalComm(decoder: Decoder, comm: bigint): Promise<boolean> {
  return (await servedBy(decoder)).has(comm) || (await partitionedComms(decoder)).has(comm);
}

/** Windows, files and intercommunicators point to the communicators that they made for themselves. */
export const servedBy = once(async (decoder: Decoder): Promise<ReadonlyMap<bigint, Served>> => {
  const found = new Map<bigint, Served>();
  const add = async (kind: Served['kind'], address: bigint, comm: () => Promise<bigint>) => {
    const added = await guard(comm);
    if (added.ok) found.set(added.value, { kind, address });
  };
  const { reader } = decoder;
  const files = await guard(() => liveFiles(decoder));
  const wins = await guard(() => liveWins(decoder));
  for (const { address, module } of wins.ok ? wins.value : [])
    await add('win', address, () => moduleComm(decoder, module));
  for (const { address, data } of files.ok ? files.value : [])
    await add('file', address, async () => (await reader.read(ompioFileSpec, data)).comm);
  // A file of another component, or one that works with the program's own communicator.
  for (const { comm } of files.ok ? files.value : []) found.delete(comm);
  const comms = await guard(() => liveComms(decoder));
  for (const comm of comms.ok ? comms.value : [])
    if ((comm.flags & intercomm) !== 0) found.set(comm.localComm, { kind: 'comm', address: comm.address });
  return found;
});

/** c_flags. */
const intercomm = 0x1;

interface Served {
  kind: 'comm' | 'file' | 'win';
  address: bigint;
}
