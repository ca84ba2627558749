/** The processes of a group, as the library keeps them. */
import { boundedCount, readPointerArray } from '../../memory';
import { QueryError } from '../../result';
import type { Decoder } from './handles';
import { groupSpec } from './specs';

/** No group has more processes than the largest machines run. */
export const maxProcesses = 1 << 24;

/** OMPI_GROUP_DENSE; the sparse forms exist in builds with --enable-sparse-groups only. */
export const denseFlag = 0x4;

/** The address of each process's object; an odd number for a process without one. */
export async function memberObjects({ image, reader }: Decoder, address: bigint): Promise<bigint[]> {
  const group = await reader.read(groupSpec, address);
  const count = boundedCount(group.count, maxProcesses, "a group's number of processes");
  if (count === 0) return [];
  if ((group.flags & denseFlag) === 0)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the group is stored in a sparse form, which is not decoded');
  return readPointerArray(image, group.procs, count, maxProcesses, "a group's number of processes");
}
