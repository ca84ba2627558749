/** MPI_Group; the processes of groups as ranks in MPI_COMM_WORLD. */
import { boundedCount, readPointerArray } from '../../memory';
import type { GroupInfo, HandleRef } from '../../mpi/records';
import { once, onceByKey } from '../../once';
import { CorruptError, known } from '../../result';
import { checkMade } from './half-made';
import { checkHandle, checkSlot, handleRef, objectName, type Decoder } from './handles';
import { groupUsers, isInternalGroup } from './live-handles';
import { denseFlag, memberObjects, maxProcesses } from './group-members';
import { commSpec, groupSpec, procSpec } from './specs';

/** A process of this job or another (spawned, connected). */
export interface ProcessName {
  jobid: number;
  vpid: number;
}

/** Throws CorruptError if there is no live group at this address. Not for MPI_GROUP_NULL. */
export async function readGroup(decoder: Decoder, handle: bigint): Promise<GroupInfo> {
  await checkHandle(decoder, 'group', handle);
  const { fortranHandle } = await decoder.reader.read(groupSpec, handle);
  await checkSlot(decoder, 'group', handle, fortranHandle);
  await checkMade(decoder, 'group', handle);
  const name = await objectName(decoder, 'group', handle);
  const isPredefined = name !== '';
  const isInternal = !isPredefined && (await known(() => isInternalGroup(decoder, handle)));
  return {
    handle: `0x${handle.toString(16)}`,
    fortranHandle,
    name,
    flags: isPredefined ? ['predefined', 'groupEmpty'] : isInternal === true ? ['internal'] : [],
    // MPI_Group_free does not mark a group that a communicator still uses.
    ...(isPredefined
      ? {}
      : { unknownFlags: typeof isInternal === 'boolean' ? ['freedHandle'] : ['freedHandle', 'internal'] }),
    size: await known(() => groupSize(decoder, handle)),
    rank: await known(() => ownRank(decoder, handle)),
    procs: await known(() => worldRanks(decoder, handle)),
    usedBy: await known(() => groupUsers(decoder, handle)),
  };
}

async function ownRank(decoder: Decoder, group: bigint): Promise<number | 'MPI_UNDEFINED'> {
  const { rank } = await decoder.reader.read(groupSpec, group);
  if (rank === decoder.constants.integer('MPI_UNDEFINED')) return 'MPI_UNDEFINED';
  const size = await groupSize(decoder, group);
  if (rank < 0 || rank >= size) throw new CorruptError(`the rank is ${rank} of ${size}, which is impossible`);
  return rank;
}

/** Throws CorruptError if there is no group at this address. */
export function groupRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  return handleRef(decoder, 'group', address);
}

/** In group rank order; null: a process of another world. */
export const worldRanks = onceByKey(async (decoder: Decoder, group: bigint): Promise<(number | null)[]> => {
  const [members, world] = await Promise.all([memberNames(decoder, group), worldJob(decoder)]);
  return members.map(({ jobid, vpid }) => (jobid === world ? vpid : null));
});

/** One of them. Throws CorruptError when there is no such member. */
export async function worldRank(decoder: Decoder, address: bigint, rank: number): Promise<number | null> {
  const { count, flags, procs } = await decoder.reader.read(groupSpec, address);
  if (rank < 0 || rank >= count) throw new CorruptError(`a group of size ${count} has no rank ${rank}`);
  if ((flags & denseFlag) === 0) return (await worldRanks(decoder, address))[rank] ?? null;
  const [proc] = await readPointerArray(decoder.image, procs + BigInt(8 * rank), 1, 1, 'one process');
  const { jobid, vpid } = await processName(decoder, proc!);
  return jobid === (await worldJob(decoder)) ? vpid : null;
}

export async function groupSize(decoder: Decoder, group: bigint): Promise<number> {
  const { count } = await decoder.reader.read(groupSpec, group);
  return boundedCount(count, maxProcesses, "a group's number of processes");
}

/** In group rank order. */
export async function memberNames(decoder: Decoder, address: bigint): Promise<ProcessName[]> {
  return Promise.all((await memberObjects(decoder, address)).map((proc) => processName(decoder, proc)));
}

/** A process that was never contacted has no object: the pointer is then odd and holds the name itself. */
async function processName({ reader }: Decoder, proc: bigint): Promise<ProcessName> {
  if (proc % 2n === 0n) return reader.read(procSpec, proc);
  const family = Number((proc >> 16n) & 0xffffn);
  const local = Number((proc >> 1n) & 0x7fffn);
  return { jobid: ((family << 16) | local) >>> 0, vpid: Number(proc >> 32n) };
}

/** The job that all members of MPI_COMM_WORLD belong to. */
const worldJob = once(async (decoder: Decoder): Promise<number> => {
  const { image, reader } = decoder;
  const world = await decoder.constants.required('comm', 'MPI_COMM_WORLD');
  const { localGroup } = await reader.read(commSpec, world);
  const { procs } = await reader.read(groupSpec, localGroup);
  const [first] = await readPointerArray(image, procs, 1, 1, 'one process');
  return (await processName(decoder, first!)).jobid;
});
