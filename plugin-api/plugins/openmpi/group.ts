/** Groups: references to them, and their processes as ranks in MPI_COMM_WORLD. */
import { boundedCount, readPointerArray } from '../../memory';
import type { HandleRef } from '../../mpi/records';
import { QueryError } from '../../result';
import { handleRef, type Decoder } from './handles';
import { commSpec, groupSpec, procSpec } from './specs';

/** A group of more processes than the largest machines run is no group. */
const mostProcesses = 1 << 24;

/** A process of this or of another job (spawned, connected). */
interface ProcessName {
  jobid: number;
  vpid: number;
}

/** Throws CorruptError when no group lies there. */
export function groupRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  return handleRef(decoder, 'group', address);
}

/** In group rank order; null: a process of another world. */
export async function worldRanks(decoder: Decoder, group: bigint): Promise<(number | null)[]> {
  const [members, world] = await Promise.all([memberNames(decoder, group), worldJob(decoder)]);
  return members.map(({ jobid, vpid }) => (jobid === world ? vpid : null));
}

export async function groupSize(decoder: Decoder, group: bigint): Promise<number> {
  const { count } = await decoder.reader.read(groupSpec, group);
  return boundedCount(count, mostProcesses, "a group's number of processes");
}

/** OMPI_GROUP_DENSE; the sparse forms exist in builds with --enable-sparse-groups only. */
const denseFlag = 0x4;

async function memberNames(decoder: Decoder, address: bigint): Promise<ProcessName[]> {
  const { image, reader } = decoder;
  const group = await reader.read(groupSpec, address);
  const count = boundedCount(group.count, mostProcesses, "a group's number of processes");
  if (count === 0) return [];
  if ((group.flags & denseFlag) === 0)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', 'the group is stored in a sparse form, which is not decoded');
  const procs = await readPointerArray(image, group.procs, count, mostProcesses, "a group's number of processes");
  return Promise.all(procs.map((proc) => processName(decoder, proc)));
}

/** A process that was never talked to has no object: the pointer then is odd and holds the name itself. */
async function processName({ reader }: Decoder, proc: bigint): Promise<ProcessName> {
  if (proc % 2n === 0n) return reader.read(procSpec, proc);
  const family = Number((proc >> 16n) & 0xffffn);
  const local = Number((proc >> 1n) & 0x7fffn);
  return { jobid: ((family << 16) | local) >>> 0, vpid: Number(proc >> 32n) };
}

/** The job that the members of MPI_COMM_WORLD have in common. */
async function worldJob(decoder: Decoder): Promise<number> {
  const { image, reader } = decoder;
  const world = await decoder.constants.required('comm', 'MPI_COMM_WORLD');
  const { localGroup } = await reader.read(commSpec, world);
  const { procs } = await reader.read(groupSpec, localGroup);
  const [first] = await readPointerArray(image, procs, 1, 1, 'one process');
  return (await processName(decoder, first!)).jobid;
}
