/** MPI_Group, and which processes belong to a communicator: ch4's rank maps until 4.3, the groups since 5.0. */
import { boundedCount, readI32Array, readPointerArray } from '../../memory';
import type { GroupInfo, HandleRef } from '../../mpi/records';
import { CorruptError, QueryError, isUnavailable, known } from '../../result';
import type { StructReader, StructValues } from '../../struct';
import { integersOf, intercomm, predefinedName } from './constants';
import { fortranHandle, hex, liveObject, refTo, type Decoder } from './handles';
import { isInternalGroup, usersOfGroup } from './object-users';
import { groupMemberSpec, groupSpec, localMapSpec, mapSpec, type commSpec } from './specs';

type Comm = StructValues<typeof commSpec>;
type RankMap = StructValues<typeof mapSpec>;

/** No job is larger; a larger count is corrupt. */
export const maxProcesses = 1 << 24;

/** Throws what liveObject throws. */
export async function readGroup(decoder: Decoder, handle: bigint): Promise<GroupInfo> {
  const { reader } = decoder.objects;
  const address = await liveObject(decoder, 'group', handle);
  const { size, rank, references } = await reader.read(groupSpec, address);
  const name = predefinedName('group', handle);
  const isInternal = name === undefined && (await known(() => isInternalGroup(decoder, address, references)));
  return {
    ...{ handle: hex(handle), fortranHandle: fortranHandle(handle), name: name ?? '' },
    flags: [
      ...(name === undefined ? [] : (['predefined'] as const)),
      ...(size === 0 ? (['groupEmpty'] as const) : []),
      ...(isInternal === true ? (['internal'] as const) : []),
    ],
    ...(name === undefined
      ? { unknownFlags: isUnavailable(isInternal) ? ['freedHandle', 'internal'] : ['freedHandle'] }
      : {}),
    size,
    rank: rank === integersOf(decoder.library).of('MPI_UNDEFINED') ? 'MPI_UNDEFINED' : rank,
    procs: await known(() => groupMembers(decoder, address)),
    usedBy: await known(() => usersOfGroup(decoder, address)),
  };
}

/** Ranks in MPI_COMM_WORLD, in the order of the group at this address; null: a process of another world. */
export async function groupMembers({ objects }: Decoder, address: bigint): Promise<(number | null)[]> {
  const { reader, worldSize } = objects;
  const { size } = await reader.read(groupSpec, address);
  return inWorld(await groupProcesses(reader, address, size), worldSize);
}

export const noGroupYet =
  'MPICH creates the group only when MPI_Comm_group first asks for it, which has not happened yet';

/** `address`: of a communicator's group. Throws CorruptError; QueryError with ERR_UNAVAILABLE before there is one. */
export async function groupRef(decoder: Decoder, address: bigint): Promise<HandleRef> {
  if (address === 0n) throw new QueryError('MPIDBG_ERR_UNAVAILABLE', noGroupYet);
  return refTo(decoder, 'group', address);
}

/**
 * Ranks in MPI_COMM_WORLD of `worldSize` processes, in the order of the communicator; null: a process of another world. Throws
 * QueryError where that size is not known.
 */
export async function localProcesses(
  reader: StructReader,
  comm: Comm,
  worldSize: number | undefined,
): Promise<(number | null)[]> {
  const map = await reader.read(comm.kind === intercomm ? localMapSpec : mapSpec, comm.address);
  return processesOf(reader, map, comm.localGroup, comm.localSize, worldSize);
}

/** The processes of the remote group of an intercommunicator, as localProcesses answers them. */
export async function remoteProcesses(
  reader: StructReader,
  comm: Comm,
  worldSize: number | undefined,
): Promise<(number | null)[]> {
  const map = await reader.read(mapSpec, comm.address);
  return processesOf(reader, map, comm.remoteGroup, comm.remoteSize, worldSize);
}

async function processesOf(
  reader: StructReader,
  map: RankMap,
  group: bigint,
  size: number,
  worldSize: number | undefined,
): Promise<(number | null)[]> {
  boundedCount(size, maxProcesses, 'the size of the communicator');
  const ids =
    map.mode === undefined ? await groupProcesses(reader, group, size) : await mapped(reader, map, map.mode, size);
  return inWorld(ids, worldSize);
}

function inWorld(ids: readonly (number | null)[], worldSize: number | undefined): (number | null)[] {
  if (worldSize === undefined)
    throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the size of MPI_COMM_WORLD is not known');
  return ids.map((id) => (id !== null && id >= 0 && id < worldSize ? id : null));
}

/** MPIDI_RANK_MAP_*: of each way there is one for any and one for intra-node communication. */
enum MapMode {
  direct = 0,
  directIntra = 1,
  offset = 2,
  offsetIntra = 3,
  stride = 4,
  strideIntra = 5,
  strideBlock = 6,
  strideBlockIntra = 7,
  table = 8,
  tableIntra = 9,
  tableOfPairs = 10,
  none = 11,
}

/** Process numbers in the world that `table` 0 stands for; null for processes of another. */
async function mapped(reader: StructReader, map: RankMap, mode: MapMode, size: number): Promise<(number | null)[]> {
  const { table = 0, offset = 0, stride = 0, blockSize = 0, processes = 0n } = map;
  if (mode === MapMode.tableOfPairs) {
    const pairs = await readI32Array(reader.image, processes, 2 * size, 2 * maxProcesses, 'a rank map');
    return Array.from({ length: size }, (_, i) => (pairs[2 * i] === 0 ? pairs[2 * i + 1]! : null));
  }
  if (table !== 0) return Array<null>(size).fill(null);
  if (mode === MapMode.table || mode === MapMode.tableIntra)
    return readI32Array(reader.image, processes, size, maxProcesses, 'a rank map');
  const process = regularMap(mode, offset, stride, blockSize);
  return Array.from({ length: size }, (_, rank) => process(rank));
}

function regularMap(mode: MapMode, offset: number, stride: number, blockSize: number): (rank: number) => number {
  switch (mode) {
    case MapMode.direct:
    case MapMode.directIntra:
      return (rank) => rank;
    case MapMode.offset:
    case MapMode.offsetIntra:
      return (rank) => rank + offset;
    case MapMode.stride:
    case MapMode.strideIntra:
      return (rank) => rank * stride + offset;
    case MapMode.strideBlock:
    case MapMode.strideBlockIntra:
      if (blockSize <= 0) throw new CorruptError(`a rank map has blocks of ${blockSize} ranks`);
      return (rank) => Math.floor(rank / blockSize) * (stride - blockSize) + rank + offset;
    case MapMode.none:
      throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'MPICH has not made the rank map of this communicator');
    default:
      throw new CorruptError(`a rank map has the unknown mode ${String(mode)}`);
  }
}

/** The device ch3. */
const noMembers = 'this MPICH keeps the members of a communicator in a way that is not decoded';

async function groupProcesses(reader: StructReader, group: bigint, size: number): Promise<(number | null)[]> {
  if (group === 0n) throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', noMembers);
  const { usesMap, map, offset, stride, members, ...found } = await reader.read(groupSpec, group);
  if (members !== undefined) return memberProcesses(reader, members, boundedCount(size, maxProcesses, 'a group'));
  if (usesMap === undefined || map === undefined || offset === undefined || stride === undefined)
    throw new QueryError('MPIDBG_ERR_NOT_SUPPORTED', noMembers);
  // A topology of 5.0 may have fewer processes than the group: then the first of the group are those of the
  // communicator.
  if (found.size < size) throw new CorruptError(`the group has ${found.size} processes, the communicator ${size}`);
  if (!usesMap) return Array.from({ length: size }, (_, rank) => Number(offset) + rank * Number(stride));
  const ids = await readPointerArray(reader.image, map, size, maxProcesses, 'a group');
  return ids.map(Number);
}

/** Until 4.3 an array with a linked list through it. */
async function memberProcesses(reader: StructReader, members: bigint, size: number): Promise<number[]> {
  const found = await reader.readArray(groupMemberSpec, members, size, 16 * maxProcesses);
  return found.map(({ process }) => Number(process));
}
